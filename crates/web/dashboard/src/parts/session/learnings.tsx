/** The learnings retrieved for one turn, each with relevance, impact, diagnosis and the turns that are its evidence. */
import type { Interaction, RetrievedLearningEvaluationResult } from '../../api/types';
import { diagnosisName, kindName } from '../../format/names';
import { counted } from '../../format/number';
import { Badge, type Tone } from '../../ui/parts';

type Row = RetrievedLearningEvaluationResult;

interface LearningsProps {
  turn: Interaction;
  rows: Row[];
  texts: Map<string, string>;
}

export function Learnings({ turn, rows, texts }: LearningsProps) {
  const retrieved = turn.retrieved_learnings?.length ?? 0;
  if (rows.length === 0 && retrieved === 0) return null;
  if (rows.length === 0) return <p class="soft">{`${counted(retrieved, 'learning')} retrieved here, not judged.`}</p>;
  return (
    <details>
      <summary>{`${counted(rows.length, 'retrieved learning')} judged for this turn`}</summary>
      <div class="stack">
        {rows.map((row) => (
          <Learning key={row.result_id} row={row} text={texts.get(`${row.kind}:${row.learning_id}`)} />
        ))}
      </div>
    </details>
  );
}

const impacts: Record<'positive' | 'negative' | 'neutral', [Tone, string]> = {
  positive: ['good', 'Helped'],
  negative: ['bad', 'Hurt'],
  neutral: ['plain', 'No effect'],
};

function Learning({ row, text }: { row: Row; text: string | undefined }) {
  return (
    <div class={`learning ${row.impact ?? ''}`}>
      <p>
        <strong>{text || `${kindName(row.kind)} ${row.learning_id}`}</strong> <span class="soft">{`${kindName(row.kind)}, id ${row.learning_id}`}</span>
      </p>
      <p>
        {relevance(row)} {row.impact ? <Badge tone={impacts[row.impact][0]}>{impacts[row.impact][1]}</Badge> : <Badge tone="plain">Impact not measured</Badge>}
      </p>
      {row.relevance_reason && <p>{`Relevance: ${row.relevance_reason}`}</p>}
      {row.impact_reason && <p>{`Impact: ${row.impact_reason}`}</p>}
      {row.diagnosis && <Diagnosis row={row} />}
    </div>
  );
}

function relevance(row: Row) {
  if (row.is_relevant === null) return <Badge tone="plain">Relevance not measured</Badge>;
  return row.is_relevant ? <Badge tone="info">Relevant</Badge> : <Badge tone="warn">Not relevant</Badge>;
}

function Diagnosis({ row }: { row: Row }) {
  const { diagnosis } = row;
  if (!diagnosis) return null;
  return (
    <>
      <p>
        <strong>{`${diagnosisName(diagnosis.category)}.`}</strong> {diagnosis.reason}
      </p>
      {diagnosis.evidence_interaction_ids.length > 0 && (
        <p>
          Evidence:{' '}
          {diagnosis.evidence_interaction_ids.map((id) => (
            <span key={id}>
              <a href={`#turn-${id}`}>{`turn ${id}`}</a>{' '}
            </span>
          ))}
        </p>
      )}
      {row.diagnosis_evidence_complete === false && <p class="soft">The judge saw a shortened transcript. A diagnosis explains; it is no proof of improvement.</p>}
    </>
  );
}
