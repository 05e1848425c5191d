/** The first letter of a name, where there is no picture. */
export function Avatar({ name }: { name: string }) {
  const [letter = "?"] = name.trim();
  return (
    <span class="avatar" aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  );
}
