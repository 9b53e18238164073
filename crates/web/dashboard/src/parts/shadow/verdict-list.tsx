/** Verdicts of the shadow judge, each with its reason and a way to the turn. */
import type { ShadowVerdict } from '../../api/types';
import { Link, sessionPath } from '../../app/router';
import { versionName } from '../../format/names';
import { moment } from '../../format/time';
import { Badge, type Tone } from '../../ui/parts';
import { verdictOf } from '../session/story';

const outcomes: Record<'win' | 'tie' | 'loss', [Tone, string]> = {
  win: ['good', 'Service better'],
  tie: ['plain', 'Tied'],
  loss: ['bad', 'Shadow better'],
};

export function VerdictList({ verdicts }: { verdicts: ShadowVerdict[] }) {
  return (
    <ul class="verdict-list">
      {verdicts.map((verdict) => {
        const [tone, word] = outcomes[verdictOf(verdict)];
        return (
          <li key={verdict.verdict_id}>
            <span class="row">
              <Badge tone={tone}>{verdict.output.is_significantly_better ? `${word}, clearly` : word}</Badge>
              <Where verdict={verdict} />
            </span>
            <span>{verdict.output.comparison_reason || 'No reason given.'}</span>
            <span class="soft">
              {`${moment(Date.parse(verdict.created_at) / 1000)} · agent ${versionName(verdict.agent_version)} · service shown ${verdict.service_is_request_1 ? 'first' : 'second'}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Where({ verdict }: { verdict: ShadowVerdict }) {
  const name = `session ${verdict.session_id}, turn ${verdict.interaction_id}`;
  if (!verdict.user_id) return <span>{name}</span>;
  return <Link to={`${sessionPath(verdict.user_id, verdict.session_id)}#turn-${verdict.interaction_id}`}>{name}</Link>;
}
