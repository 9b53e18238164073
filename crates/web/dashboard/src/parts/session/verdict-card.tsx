/** How the session was judged, by whom, and the button that grades it now. */
import { useState } from 'preact/hooks';
import { grade } from '../../api/calls';
import { ApiFailure } from '../../api/client';
import type { AgentSuccessEvaluationResult, GradeResponse } from '../../api/types';
import type { Query } from '../../api/use-query';
import { comparisonName, failureName, sentence, versionName } from '../../format/names';
import { count } from '../../format/number';
import { moment } from '../../format/time';
import { Badge, Card, Facts, Notice } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import type { Story } from './story';

type Result = AgentSuccessEvaluationResult;

interface VerdictProps {
  story: Story;
  judged: Query<Result[]>;
  onGraded: () => void;
}

export function VerdictCard({ story, judged, onGraded }: VerdictProps) {
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<GradeResponse | ApiFailure | null>(null);
  const gradeNow = async () => {
    if (busy) return;
    setBusy(true);
    setOutcome(null);
    try {
      const answer = await grade({ session_id: story.session, user_id: story.user, agent_version: story.agentVersion });
      setOutcome(answer.body);
      onGraded();
    } catch (error) {
      setOutcome(error as ApiFailure);
    }
    setBusy(false);
  };
  const button = (
    <button type="button" class="primary" aria-disabled={busy} onClick={() => void gradeNow()}>
      {busy ? 'Grading…' : 'Grade now'}
    </button>
  );
  return (
    <Card title="Verdict" actions={button}>
      <div role="status">{outcome && <GradeOutcome outcome={outcome} />}</div>
      <Loaded query={judged} what="the verdict">
        {(rows) =>
          rows.length === 0 ? (
            <p>This session has not been judged. It may be waiting, or sampling left it out; “Grade now” judges it at once.</p>
          ) : (
            rows.map((row) => <Verdict key={row.result_id} row={row} />)
          )
        }
      </Loaded>
    </Card>
  );
}

function GradeOutcome({ outcome }: { outcome: GradeResponse | ApiFailure }) {
  if (outcome instanceof ApiFailure) {
    const text = outcome.code === 'judge_unavailable' ? 'The judge is not available; nothing was changed. Try again later.' : outcome.message;
    return <Notice tone="bad">{text}</Notice>;
  }
  if (outcome.skipped_reason) {
    return <Notice tone="warn">{outcome.skipped_reason === 'NO_REQUESTS' ? 'There is nothing to judge in this session.' : sentence(outcome.skipped_reason)}</Notice>;
  }
  const learnings = outcome.retrieved_learning_status ? ` Retrieved learnings: ${sentence(outcome.retrieved_learning_status).toLowerCase()}.` : '';
  return <Notice tone="good">{(outcome.cached ? 'Judged within the last 24 hours and unchanged since; that verdict stands.' : 'The session was judged just now.') + learnings}</Notice>;
}

function Verdict({ row }: { row: Result }) {
  const epoch = [row.judge, row.judge_prompt_version].filter(Boolean).join(', ');
  return (
    <div class="stack" data-verdict={row.is_success ? 'success' : 'failure'}>
      <p>
        {row.is_success ? <Badge tone="good">Success</Badge> : <Badge tone="bad">{`Failure: ${failureName(row.failure_type)}`}</Badge>}{' '}
        {row.is_escalated && <Badge tone="warn">Escalated</Badge>}
      </p>
      {row.judge === 'heuristic' && <Notice tone="warn">Judged by the built-in heuristic, not by a language model.</Notice>}
      {row.failure_reason && <p class="words">{row.failure_reason}</p>}
      <Facts
        rows={[
          ['Corrections', count(row.number_of_correction_per_session)],
          ['User turns to resolution', row.user_turns_to_resolution === undefined ? 'only counted on success' : count(row.user_turns_to_resolution)],
          ['Agent version judged', versionName(row.agent_version)],
          ['Evaluation', row.evaluation_name || 'unnamed'],
          ['Judge and rubric', epoch || 'judged elsewhere and imported'],
          [row.judge === undefined ? 'Imported' : 'Judged', moment(row.judged_at)],
          ...(row.regular_vs_shadow ? [['Against shadow', comparisonName(row.regular_vs_shadow)] as [string, string]] : []),
        ]}
      />
    </div>
  );
}
