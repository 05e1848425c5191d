/** What is shown while something is read: its lines, without what they say. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="shape" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
