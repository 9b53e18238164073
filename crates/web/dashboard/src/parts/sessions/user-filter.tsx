/** A filter by user; asks the server when the field is left or Enter is pressed, not on every letter. */
interface UserFilterProps {
  user: string | null;
  onChoose: (user: string) => void;
}

export function UserFilter({ user, onChoose }: UserFilterProps) {
  return (
    <label class="choice">
      <span>User id (exact)</span>
      <input type="search" maxLength={255} value={user ?? ''} onChange={(event) => onChoose(event.currentTarget.value.trim())} />
    </label>
  );
}
