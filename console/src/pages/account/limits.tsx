import { Loaded } from "../../parts/loaded.tsx";
import { limitName } from "./limit-name.ts";
import { useLimits } from "./reads.ts";

/** What the person and their team hold, beside what they may hold. */
export function Limits() {
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <Loaded of={useLimits()}>
        {({ limits }) => (
          <ul class="list">
            {limits.map(({ name, whose, used, max }) => (
              <li key={name}>
                <span class="told">
                  {limitName(name)} <span class="muted small">per {whose}</span>
                </span>
                <span>{amountOf(used, max)}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function amountOf(used: number | null, max: number | null): string {
  const most = max === null ? "no limit" : max.toLocaleString("en");
  if (used === null) return max === null ? most : `at most ${most}`;
  return max === null ? `${used.toLocaleString("en")}, ${most}` : `${used.toLocaleString("en")} of ${most}`;
}
