/** The turns, each with its tools, its shadow side by side and the learnings that were retrieved for it. */
import type { Interaction, RetrievedLearningEvaluationResult, ShadowVerdict } from '../../api/types';
import { counted } from '../../format/number';
import { moment } from '../../format/time';
import { Badge, Card, type Tone } from '../../ui/parts';
import { Learnings } from './learnings';
import { isUser, learningsOf, shadowOf, verdictOf, type Story } from './story';

interface TranscriptProps {
  story: Story;
  learnings: RetrievedLearningEvaluationResult[];
  verdicts: ShadowVerdict[];
  texts: Map<string, string>;
}

export function Transcript({ story, learnings, verdicts, texts }: TranscriptProps) {
  return (
    <Card title="Transcript" note={counted(story.turns.length, 'turn')}>
      <ol class="transcript" role="list">
        {story.turns.map((turn, at) => (
          <li key={turn.interaction_id} class={`turn ${isUser(turn) ? 'user' : 'agent'}`} id={`turn-${turn.interaction_id}`}>
            <Turn turn={turn} number={at + 1} shadow={shadowOf(turn, verdicts)} />
            <Learnings turn={turn} rows={learningsOf(turn, learnings)} texts={texts} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Turn({ turn, number, shadow }: { turn: Interaction; number: number; shadow: ShadowVerdict | undefined }) {
  return (
    <>
      <div class="turn-head">
        <strong>{`${number}. ${turn.role || 'No role'}`}</strong>
        <span>{`${moment(turn.created_at)} · id ${turn.interaction_id}`}</span>
      </div>
      {turn.shadow_content ? <SideBySide turn={turn} shadow={shadow} /> : <Words text={turn.content} />}
      {turn.expert_content && (
        <details>
          <summary>What an expert would have said</summary>
          <Words text={turn.expert_content} />
        </details>
      )}
      {turn.user_action && turn.user_action !== 'none' && <p class="soft">{`User action: ${turn.user_action} ${turn.user_action_description ?? ''}`}</p>}
      {(turn.tools_used ?? []).map((tool, at) => (
        <details key={at}>
          <summary>{`Tool: ${tool.tool_name}${tool.status ? ` (${tool.status})` : ''}`}</summary>
          <pre>{JSON.stringify(tool.tool_data ?? null, null, 2)}</pre>
        </details>
      ))}
    </>
  );
}

const LONG = 4_000;

/** Long text is folded, so that one giant turn does not bury the others. */
function Words({ text }: { text: string | undefined }) {
  if (!text) return <p class="soft">No text in this turn.</p>;
  if (text.length <= LONG) return <p class="words">{text}</p>;
  return (
    <>
      <p class="words">{`${text.slice(0, LONG)}…`}</p>
      <details>
        <summary>{`Show all ${text.length.toLocaleString('en-GB')} characters`}</summary>
        <p class="words">{text}</p>
      </details>
    </>
  );
}

const outcomes: Record<'win' | 'tie' | 'loss', [Tone, string]> = {
  win: ['good', 'Service better'],
  tie: ['plain', 'Tied'],
  loss: ['bad', 'Shadow better'],
};

function SideBySide({ turn, shadow }: { turn: Interaction; shadow: ShadowVerdict | undefined }) {
  const [tone, word] = shadow ? outcomes[verdictOf(shadow)] : (['plain', ''] as [Tone, string]);
  return (
    <>
      <div class="side-by-side">
        <div>
          <h3>Service (what the user saw)</h3>
          <Words text={turn.content} />
        </div>
        <div>
          <h3>Shadow (never shown)</h3>
          <Words text={turn.shadow_content} />
        </div>
      </div>
      {shadow ? (
        <p>
          <Badge tone={tone}>{shadow.output.is_significantly_better ? `${word}, clearly` : word}</Badge>{' '}
          <span class="soft">{`rubric ${shadow.judge_prompt_version}`}</span> {shadow.output.comparison_reason}
        </p>
      ) : (
        <p class="soft">Not compared yet, or compared under an older rubric.</p>
      )}
    </>
  );
}
