import type { Variables } from "#src/configuration/index.ts";
import type { AttemptWindow } from "#src/platform/objects/attempt-counts.ts";
import type { EventLimits, RateLimit } from "#src/platform/objects/rate-counts.ts";
import {
  ATTEMPTS,
  EVENTS,
  RATES,
  type Attempts,
  type AttemptRule,
  type Limit,
  type Rate,
  type RateRule,
} from "./table.ts";

type ValueOf<Row, Field extends string> = Row extends unknown
  ? Field extends keyof Row
    ? Row[Field]
    : never
  : never;

/** The variables that the rows of a table name. */
type Named<Table> =
  | ValueOf<Table[keyof Table], "variable" | "windowVariable" | "perSecondVariable" | "offWith">
  | Exclude<ValueOf<Table[keyof Table], "elsewhere">, 0>;

/** The limit of a rate in a configuration. A capacity of 0 is none. */
export function rateLimitOf(rule: RateRule, config: Pick<Variables, Named<typeof RATES>>): RateLimit {
  const row: Rate = RATES[rule];
  const isOff = row.offWith !== undefined && numberIn(config, row.offWith) === 0;
  const capacity = isOff ? 0 : mostOf(row, config);
  if (row.perSecond === undefined) {
    return { kind: "window", capacity, windowMs: secondsOf(row, config) * 1000 };
  }
  return { kind: "bucket", capacity, perSecond: numberIn(config, row.perSecondVariable) ?? row.perSecond };
}

/** The limits of a configuration for events of channels. */
export function eventLimits(config: Pick<Variables, Named<typeof EVENTS>>): EventLimits {
  return { channel: mostOf(EVENTS.channel, config), owner: mostOf(EVENTS.owner, config) };
}

/** The window of attempts in a configuration. A capacity of 0 is no limit. */
export function attemptWindowOf(
  rule: AttemptRule,
  config: Pick<Variables, Named<typeof ATTEMPTS> | "ENVIRONMENT">,
): AttemptWindow {
  const row: Attempts = ATTEMPTS[rule];
  const { elsewhere, times = 1 } = row;
  const windowMs = secondsOf(row, config) * 1000;
  const isSet = numberIn(config, row.variable) !== undefined;
  const isOff =
    config.ENVIRONMENT !== "production" &&
    !isSet &&
    (elsewhere === 0 || (elsewhere !== undefined && numberIn(config, elsewhere) === 0));
  return { capacity: isOff ? 0 : mostOf(row, config) * times, windowMs };
}

const mostOf = ({ most, variable }: Limit, config: object) => numberIn(config, variable) ?? most;

const secondsOf = ({ seconds, windowVariable }: Limit, config: object) =>
  numberIn(config, windowVariable) ?? seconds ?? 0;

function numberIn(config: object, variable: string | undefined): number | undefined {
  const value: unknown = variable === undefined ? undefined : Reflect.get(config, variable);
  return typeof value === "number" ? value : undefined;
}
