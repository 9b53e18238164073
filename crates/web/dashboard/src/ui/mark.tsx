/** The sign of the house: a touchstone and the streak it leaves. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <path d="M7 21 16 7 25 21Z" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linejoin="round" />
      <path class="mark-streak" d="M6 25.5H26" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />
    </svg>
  );
}
