import { useMemo } from "preact/hooks";
import { lazily } from "../../lazily.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { number } from "../../parts/numbers.ts";
import { dailyOf, totalOf, type Call } from "./daily.ts";
import { eachDay, type Days } from "./periods.ts";
import { useCalls } from "./reads.ts";

const DailyPlot = lazily(async () => (await import("../../plots/daily-plot.tsx")).DailyPlot);

/** Credits by day and model, as a plot and as a table of the same numbers. */
export function DailyUsage({ days }: { days: Days }) {
  return (
    <section aria-label="By day">
      <h2>Credits by day</h2>
      <Loaded of={useCalls(days)}>
        {({ calls, isWhole }) => <Shown calls={calls} isWhole={isWhole} days={days} />}
      </Loaded>
    </section>
  );
}

function Shown({ calls, isWhole, days }: { calls: readonly Call[]; isWhole: boolean; days: Days }) {
  const daily = useMemo(() => {
    // The day that was not read to its beginning is left out, and so are those before it.
    const first = isWhole ? "" : (calls.at(-1)?.created_at.slice(0, 10) ?? "");
    return dailyOf(
      calls,
      eachDay(days).filter((day) => day > first),
    );
  }, [calls, isWhole, days]);
  if (calls.length === 0) return <p class="muted">No model calls in this period.</p>;
  return (
    <>
      {!isWhole && <p>Some days are left out, as there are too many calls. Choose a shorter period.</p>}
      {daily.days.some((_, at) => totalOf(daily, at) > 0) ? (
        <DailyPlot
          days={daily.days}
          series={daily.series}
          label="Credits for each day, by model. The table below has the same numbers."
        />
      ) : (
        <p class="muted">The calls of this period used no credits.</p>
      )}
      <details>
        <summary>Show as a table</summary>
        <div class="scrolled" tabIndex={0}>
          <table>
            <caption class="hidden">Credits by day and model</caption>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {daily.series.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
                <th scope="col" class="number">
                  Total
                </th>
              </tr>
            </thead>
            <tbody>
              {daily.days.map((day, at) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {daily.series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {number(values[at] ?? 0)}
                    </td>
                  ))}
                  <td class="number">{number(totalOf(daily, at))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
