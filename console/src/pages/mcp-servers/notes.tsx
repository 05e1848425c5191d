/** What was left out or is wrong, in sentences; nothing where there is none. */
export function Notes({ label, notes }: { label: string; notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <section class="notice" aria-label={label}>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
