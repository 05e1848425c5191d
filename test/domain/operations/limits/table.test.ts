import { expect, it } from "vitest";
import { Variables } from "#src/configuration/index.ts";
import { agentLimits } from "#src/domain/agent-work/tasks/agent-limits.ts";
import { CEILINGS, OPEN_CEILINGS } from "#src/domain/operations/limits/index.ts";
import { ALLOWANCES, ATTEMPTS, EVENTS, RATES, type Rate } from "#src/domain/operations/limits/table.ts";

const { shape } = Variables;
const defaults: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, field.safeParse(undefined).data]),
  ),
  ...agentLimits({ USER_RATE_PER_MINUTE: 1, CHAT_RATE_PER_MINUTE: 1 }),
  // Absent, it depends on the environment; see `attemptWindowOf`.
  REGISTRATIONS_PER_ADDRESS: ATTEMPTS.registration.most,
};

const tables = { RATES, EVENTS, ATTEMPTS, ALLOWANCES };
const rows: [string, Rate][] = Object.entries(tables).flatMap(([table, entries]) =>
  Object.entries(entries).map(([name, row]): [string, Rate] => [`${table}.${name}`, row]),
);

/** Seconds of one unit of a variable, by the end of its name. */
const unitOf = (variable: string) => (variable.endsWith("_MINUTES") ? 60 : 1);

it.each(rows)("%s has the defaults of the variables that it names", (_, row) => {
  const { variable, windowVariable, perSecondVariable } = row;
  const named = [
    ...(variable === undefined ? [] : [[variable, row.most]]),
    ...(windowVariable === undefined ? [] : [[windowVariable, Number(row.seconds) / unitOf(windowVariable)]]),
    ...(perSecondVariable === undefined ? [] : [[perSecondVariable, row.perSecond]]),
  ];
  expect(named.map(([name]) => [name, defaults[String(name)]])).toEqual(named);
});

it.each(Object.entries({ ...CEILINGS, ...OPEN_CEILINGS }))("the ceiling on %s does so too", (_, row) => {
  const variables = typeof row.variable === "string" ? [row.variable] : Object.values(row.variable);
  expect(variables.map((name) => defaults[name])).toEqual(variables.map(() => row.most));
});
