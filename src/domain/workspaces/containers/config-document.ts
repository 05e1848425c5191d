import { z } from "zod";
import { MAX_VALUE_LENGTH, VARIABLE_NAME } from "./environment.ts";
import { requireUsablePort, usablePort, type RuntimePorts } from "./ports.ts";

/** Where a project keeps its configuration document. */
export const CONFIG_PATH = ".workspace/config.json";

const storable = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !value.includes("\0") && value.isWellFormed(), "must be text without NUL characters");
const name = storable(200).min(1, "must not be empty");
const variables = z.record(
  z
    .string()
    .regex(VARIABLE_NAME, "must consist of letters, digits and underscores, and not begin with a digit"),
  storable(MAX_VALUE_LENGTH),
);
const port = z.number().int().min(1, "must be from 1 to 65535").max(65_535, "must be from 1 to 65535");
const command = storable(4000);
const entries = <T extends z.ZodType>(entry: T) =>
  z.record(name, entry).refine((record) => Object.keys(record).length <= 50, "must have at most 50 entries");

const App = z.object({
  directory: storable(4096).default(".").describe("Relative to the project; `.` is its root"),
  port: port.optional().describe("When absent 3000, or the next port that the runtime does not use itself"),
  start: command.describe("Command that starts the app; empty for static files"),
  build: command.nullish(),
  output: storable(4096).nullish(),
  framework: storable(100).nullish(),
  env: variables.default({}),
  exports: variables.default({}).describe("Variables for the containers that are connected to this one"),
  x: z.number().nullish(),
  y: z.number().nullish(),
});

const Infrastructure = z.object({
  image: storable(500).nullish(),
  port: port.nullish(),
  env: variables.default({}),
  exports: variables.default({}),
  type: storable(100).nullish(),
  provider: storable(100).nullish(),
  endpoint: storable(2048).nullish().describe("http(s) address of a service that runs elsewhere"),
  x: z.number().nullish(),
  y: z.number().nullish(),
});

/** A project's configuration, as its own repository declares it. */
export const ConfigDocument = z
  .object({
    apps: entries(App).default({}),
    infrastructure: entries(Infrastructure).default({}),
    connections: z
      .array(z.object({ from: name, to: name }))
      .max(100, "must have at most 100 entries")
      .default([]),
    deployments: entries(
      z.object({
        provider: storable(100),
        targets: z.array(name).max(50).default([]),
        env: variables.default({}),
      }),
    ).default({}),
    previews: entries(z.object({ target: name })).default({}),
    primaryApp: storable(200).describe("One of `apps`; empty when there are no apps"),
  })
  .meta({ id: "ConfigDocument" });
export type ConfigDocument = z.output<typeof ConfigDocument>;

/** The same document after every app has received a port. */
export const SettledDocument = ConfigDocument.extend({ apps: entries(App.extend({ port })) });
export type SettledDocument = z.output<typeof SettledDocument>;

/** Fills in the ports that depend on the project's runtime. */
export function settleDocument(document: ConfigDocument, runtime: RuntimePorts): SettledDocument {
  const apps = Object.entries(document.apps).map(
    ([appName, app]) => [appName, { ...app, port: app.port ?? usablePort(null, runtime) }] as const,
  );
  return { ...document, apps: Object.fromEntries(apps) };
}

/** Throws `invalid_input` for a port that the runtime uses itself. */
export function requireUsablePorts({ apps, infrastructure }: ConfigDocument, runtime: RuntimePorts): void {
  for (const { port: chosen } of Object.values(apps)) requireUsablePort(chosen, runtime);
  for (const { port: chosen, endpoint } of Object.values(infrastructure)) {
    // The port of an external service is on another host and cannot collide.
    if (typeof endpoint !== "string") requireUsablePort(chosen, runtime);
  }
}

export const EMPTY_DOCUMENT: SettledDocument = {
  apps: {},
  infrastructure: {},
  connections: [],
  deployments: {},
  previews: {},
  primaryApp: "",
};

/** A flaw that the schema alone cannot find, as a sentence; `undefined` for a sound document. */
export function flawOf({
  apps,
  infrastructure,
  connections,
  deployments,
  previews,
  primaryApp,
}: ConfigDocument): string | undefined {
  const has = (entry: string) => Object.hasOwn(apps, entry) || Object.hasOwn(infrastructure, entry);
  const twice = Object.keys(apps).find((app) => Object.hasOwn(infrastructure, app));
  if (twice !== undefined) return `\`${twice}\` is both in apps and in infrastructure`;
  if (primaryApp === "" ? Object.keys(apps).length > 0 : !Object.hasOwn(apps, primaryApp)) {
    return "primaryApp must be one of apps";
  }
  for (const { from, to } of connections) {
    if (from === to) return `connections: \`${from}\` cannot be connected to itself`;
    for (const end of [from, to]) if (!has(end)) return missing("connections", end);
  }
  for (const { targets } of Object.values(deployments)) {
    for (const target of targets) if (!has(target)) return missing("deployments", target);
  }
  for (const { target } of Object.values(previews)) if (!has(target)) return missing("previews", target);
  return undefined;
}

function missing(what: string, entry: string): string {
  return `${what} names \`${entry}\`, which is neither in apps nor in infrastructure`;
}
