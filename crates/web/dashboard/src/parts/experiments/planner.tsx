/** What the planned experiment could show, from a few guesses. */
import { useState } from 'preact/hooks';
import { count, counted, figure } from '../../format/number';
import { forecast } from '../../stats/planner';
import { Field } from '../../ui/parts';

const guesses = { users: '1000', sessions: '3', success: '70' };

export function Planner({ holdoutPercentage }: { holdoutPercentage: number }) {
  const [values, setValues] = useState(guesses);
  const set = (key: keyof typeof guesses) => (event: Event & { currentTarget: HTMLInputElement }) =>
    setValues((old) => ({ ...old, [key]: event.currentTarget.value }));
  return (
    <fieldset class="stack planner">
      <legend>Plan: what will it be able to show?</legend>
      <div class="fields">
        <Number label="Users who will come" value={values.users} onInput={set('users')} />
        <Number label="Judged sessions per user" value={values.sessions} onInput={set('sessions')} />
        <Number label="Success today, in percent" value={values.success} onInput={set('success')} />
      </div>
      <p aria-live="polite" data-plan>
        {planInWords(holdoutPercentage, +values.users, +values.sessions, +values.success)}
      </p>
      <p class="note">Assumes that sessions of one user resemble each other a little (correlation 0.05), 95 % confidence, four chances in five.</p>
    </fieldset>
  );
}

function Number({ label, value, onInput }: { label: string; value: string; onInput: (event: Event & { currentTarget: HTMLInputElement }) => void }) {
  return <Field label={label}>{(ids) => <input {...ids} type="number" min="0" step="any" inputMode="decimal" value={value} onInput={onInput} />}</Field>;
}

/** The forecast as a sentence; guesses that make no sense are named, not computed with. */
export function planInWords(holdoutPercentage: number, users: number, sessionsPerUser: number, success: number): string {
  if (!(users >= 1) || !(sessionsPerUser > 0) || !(success > 0 && success < 100)) {
    return 'Give a number of users and sessions above zero, and a success between 0 and 100 percent.';
  }
  const { holdoutUsers, treatmentUsers, detectableLift } = forecast({
    users: Math.round(users),
    holdoutPercentage,
    sessionsPerUser,
    successRate: success / 100,
    correlation: 0.05,
  });
  const arms = `${counted(holdoutUsers, 'user')} held out, ${count(treatmentUsers)} treated`;
  if (detectableLift === null) return `${arms}: too few for any conclusion; each arm needs at least two users, better twenty.`;
  const few = holdoutUsers < 20 ? ' Fewer than 20 held-out users make every result shaky.' : '';
  return `${arms}: a true lift of about ${figure(detectableLift, 1)} points or more would probably be seen.${few}`;
}
