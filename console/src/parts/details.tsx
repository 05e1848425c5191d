import { stateWord } from "./badge.tsx";

/** Details of an entry of a log, as names and values. */
export function Details({ of: details }: { of: Readonly<Record<string, unknown>> | null | undefined }) {
  const entries = Object.entries(details ?? {}).filter(([, value]) => value !== null && value !== "");
  if (entries.length === 0) return <span class="muted">–</span>;
  return (
    <dl class="details">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{stateWord(name)}</dt>
          <dd>{inWords(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function inWords(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${inWords(each)}`)
      .join(", ");
  }
  return String(value);
}
