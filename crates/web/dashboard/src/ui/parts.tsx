/** Small parts that every page is built from. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  title?: string;
  note?: ComponentChildren;
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** A titled section. */
export function Card({ title, note, actions, class: extra = '', children }: CardProps) {
  return (
    <section class={`card ${extra}`}>
      {title && (
        <header class="card-head">
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {note && <p class="note">{note}</p>}
      {children}
    </section>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain' | 'info';
const signs: Record<Tone, string> = { good: '✓', bad: '✕', warn: '!', plain: '·', info: '▸' };

/** A word with a colour and a sign; the sign and the word carry the meaning, the colour only helps. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{signs[tone]} </span>
      {children}
    </span>
  );
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | null | undefined;
  children: (ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ComponentChildren;
}

/** A labelled field whose hint and error are tied to it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': Boolean(error) })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span class="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

/** Name and value pairs. */
export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A note in the flow of a page: information, a warning or an error. */
export function Notice({ tone, children }: { tone: 'info' | 'warn' | 'bad' | 'good'; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'note'}>
      <span class="sign" aria-hidden="true">
        {tone === 'info' ? 'i' : signs[tone]}
      </span>
      <div>{children}</div>
    </div>
  );
}
