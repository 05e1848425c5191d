import { z } from "zod";
import { readJson } from "../bodies.ts";
import { newId } from "../ids.ts";
import type { Site } from "../records.ts";
import type { WireCall } from "../wire.ts";
import { refuse } from "./errors.ts";
import { getProject } from "./projects.ts";

/** https://vercel.com/docs/rest-api/projects/create-one-or-more-environment-variables */
const NewVariable = z
  .strictObject({
    key: z.string().regex(/^[A-Za-z_]\w*$/u, "must be a name of letters, digits and underscores"),
    value: z.string().max(65_536),
    type: z.enum(["system", "secret", "encrypted", "plain", "sensitive"]),
    target: z.array(z.enum(["production", "preview", "development"])).optional(),
    gitBranch: z.string().max(250).nullish(),
    comment: z.string().max(500).optional(),
    customEnvironmentIds: z.array(z.string()).optional(),
  })
  .refine(({ target, customEnvironmentIds }) => Boolean(target?.length ?? customEnvironmentIds?.length), {
    message: "should have required property `target`",
  });

const Stored = z.array(
  z.looseObject({ id: z.string(), key: z.string(), target: z.array(z.string()).default([]) }),
);
type Stored = z.infer<typeof Stored>;

function variablesOf({ details }: Site): Stored {
  return Stored.parse(details["env"] ?? []);
}

/** Values of the types `sensitive` and `secret` are never shown again, others only to their account. */
function show(variable: Stored[number]): object {
  const { value, ...rest } = variable;
  return ["sensitive", "secret"].includes(String(variable["type"])) ? rest : { ...rest, value };
}

const LIST: WireCall["run"] = (exchange) => ({
  status: 200,
  json: { envs: variablesOf(getProject(exchange)).map(show) },
});

export const vercelEnvironment: readonly WireCall[] = [
  { method: "GET", path: "v9/projects/{id}/env", run: LIST },
  { method: "GET", path: "v10/projects/{id}/env", run: LIST },
  {
    method: "POST",
    path: "v10/projects/{id}/env",
    async run(exchange) {
      const { parts, url, now } = exchange;
      const given = await readJson(exchange, z.union([NewVariable, z.array(NewVariable)]));
      const project = getProject(exchange);
      const stored = variablesOf(project);
      const created = (Array.isArray(given) ? given : [given]).map((variable) => {
        const { target = [] } = variable;
        const at = stored.findIndex(
          ({ key, target: others }) => key === variable.key && target.some((each) => others.includes(each)),
        );
        if (at !== -1 && url.searchParams.get("upsert") !== "true") {
          throw refuse(
            400,
            "ENV_CONFLICT",
            `Another Environment Variable with the Name ${variable.key} already exists.`,
          );
        }
        const next = {
          ...variable,
          target,
          id: stored[at]?.id ?? newId("").slice(0, 16),
          createdAt: stored[at]?.["createdAt"] ?? now,
          updatedAt: now,
        };
        if (at === -1) stored.push(next);
        else stored[at] = next;
        return show(next);
      });
      parts.store.changeSite(project, { ...project.details, env: stored }, now);
      return { status: 201, json: { created: Array.isArray(given) ? created : created[0], failed: [] } };
    },
  },
  {
    method: "DELETE",
    path: "v9/projects/{id}/env/{env}",
    run(exchange) {
      const project = getProject(exchange);
      const stored = variablesOf(project);
      const gone = stored.find(({ id }) => id === exchange.at("env"));
      if (!gone) throw refuse(404, "not_found", "Environment Variable not found.");
      const env = stored.filter((each) => each !== gone);
      exchange.parts.store.changeSite(project, { ...project.details, env }, exchange.now);
      return { status: 200, json: show(gone) };
    },
  },
];
