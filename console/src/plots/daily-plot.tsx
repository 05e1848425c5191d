import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { onDarkness } from "../service/theme.ts";
import { barsOf, type Series } from "./bars.ts";

const HEIGHT = 240;
/** Colours of the series, which stand out from light and from dark ground. */
const COLOURS = ["#4f7fe0", "#c9772b", "#3f9b6c", "#b0559f", "#8a8f3a", "#7d8590"] as const;

/** Bars for each day, in which the series stand on each other. A table of the page has the same numbers. */
export function DailyPlot({
  days,
  series,
  label,
}: {
  /** As `2027-01-31`. */
  days: readonly string[];
  series: readonly Series[];
  label: string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: at } = frame;
    if (!at) return undefined;
    let plot = draw(at, days, series);
    const again = () => {
      plot.destroy();
      plot = draw(at, days, series);
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: at.clientWidth, height: HEIGHT }));
    resized.observe(at);
    const endTheme = onDarkness(again);
    return () => {
      endTheme();
      resized.disconnect();
      plot.destroy();
    };
  }, [days, series]);
  return (
    <figure class="plot">
      <div ref={frame} role="img" aria-label={label} />
      <figcaption class="row small">
        {series.map(({ name }, at) => (
          <span key={name}>
            <span aria-hidden="true" style={{ color: COLOURS[at % COLOURS.length] }}>
              ■
            </span>{" "}
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** Draws into an element, in the colours that its styles have now. */
function draw(at: HTMLElement, days: readonly string[], series: readonly Series[]): uPlot {
  const styles = getComputedStyle(at);
  const axis: uPlot.Axis = {
    // Days and credits are whole numbers.
    incrs: [1, 2, 5, 10].flatMap((step) => [1, 10, 100, 1_000, 10_000].map((scale) => step * scale)),
    stroke: styles.color,
    grid: { stroke: styles.getPropertyValue("--line") },
    ticks: { stroke: styles.getPropertyValue("--line") },
  };
  const bars = uPlot.paths.bars?.({ size: [0.7, 48] });
  // The whole of a day is drawn first; what stands below covers it.
  const stacked = barsOf(series).toReversed();
  const options: uPlot.Options = {
    width: at.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [-0.5, days.length - 0.5] },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.05)] },
    },
    axes: [{ ...axis, values: (_plot, splits) => splits.map((split) => shortDay(days[split])) }, axis],
    series: [
      {},
      ...stacked.map(({ name }, index) => ({
        label: name,
        fill: COLOURS[(series.length - 1 - index) % COLOURS.length] ?? "",
        stroke: COLOURS[(series.length - 1 - index) % COLOURS.length] ?? "",
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
  };
  return new uPlot(
    options,
    [days.map((_day, index) => index), ...stacked.map(({ values }) => [...values])],
    at,
  );
}

const shortDay = (day: string | undefined) => day?.slice(5) ?? "";
