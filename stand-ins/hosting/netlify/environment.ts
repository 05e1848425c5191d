import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { readJson } from "../bodies.ts";
import { iso } from "../ids.ts";
import { type Exchange, Refused, type WireCall } from "../wire.ts";
import { teamId, teamSlug } from "./account.ts";
import { netlifyError, notFound } from "./errors.ts";

const Value = z.looseObject({
  context: z.enum(["all", "dev", "dev-server", "branch-deploy", "deploy-preview", "production", "branch"]),
  context_parameter: z.string().optional(),
  value: z.string(),
});

/** The body of createEnvVars and updateEnvVar in netlify/open-api swagger.yml. */
const Variable = z.object({
  key: z.string().regex(/^[A-Za-z]\w*$/u, "must begin with a letter, then letters, digits and underscores"),
  scopes: z.array(z.enum(["builds", "functions", "runtime", "post-processing"])).optional(),
  values: z.array(Value).min(1),
  is_secret: z.boolean().optional(),
});
type Variable = z.infer<typeof Variable>;

const SetValue = z.object({
  context: Value.shape.context,
  context_parameter: z.string().optional(),
  value: z.string(),
});

const Stored = z.array(z.looseObject({ key: z.string(), is_secret: z.boolean(), values: z.array(Value) }));
type Stored = z.infer<typeof Stored>;

/** The variables of the account, or of the site that `site_id` names, with the note that keeps them. */
function scope({ parts, account, url, at }: Exchange): { id: string; variables: Stored } {
  if (at("account") !== teamId(account) && at("account") !== teamSlug(account)) throw notFound();
  const siteId = url.searchParams.get("site_id");
  if (siteId !== null && parts.store.site("netlify", siteId)?.account !== account) throw notFound();
  const id = siteId ?? teamId(account);
  const note = parts.store.note("netlify env", id);
  return { id, variables: note === undefined ? [] : parseJson(note, Stored) };
}

function keep({ parts }: Exchange, id: string, variables: Stored): void {
  parts.store.setNote("netlify env", id, variables);
}

function made(
  { now }: Exchange,
  { key, scopes, values, is_secret: isSecret = false }: Variable,
): Stored[number] {
  return {
    key,
    scopes: scopes ?? ["builds", "functions", "runtime", "post-processing"],
    values: values.map((value) => ({ ...value, id: randomUUID() })),
    is_secret: isSecret,
    updated_at: iso(now),
  };
}

/** The values of a secret can be read by the site's code only. */
function show(variable: Stored[number]): object {
  if (!variable.is_secret) return variable;
  return { ...variable, values: variable.values.map((value) => ({ ...value, value: "" })) };
}

/** Finds the variable that the path names. */
function getVariable(exchange: Exchange): {
  id: string;
  variables: Stored;
  at: number;
  variable: Stored[number];
} {
  const { id, variables } = scope(exchange);
  const at = variables.findIndex(({ key }) => key === exchange.at("key"));
  const variable = variables[at];
  if (!variable) throw notFound();
  return { id, variables, at, variable };
}

export const netlifyEnvironment: readonly WireCall[] = [
  {
    method: "GET",
    path: "accounts/{account}/env",
    run: (exchange) => ({ status: 200, json: scope(exchange).variables.map(show) }),
  },
  {
    method: "POST",
    path: "accounts/{account}/env",
    async run(exchange) {
      const given = await readJson(exchange, z.array(Variable));
      const { id, variables } = scope(exchange);
      const taken = given.find(({ key }) => variables.some((each) => each.key === key));
      if (taken) throw new Refused(netlifyError(422, `Key ${taken.key} already exists`));
      const created = given.map((variable) => made(exchange, variable));
      keep(exchange, id, [...variables, ...created]);
      return { status: 201, json: created.map(show) };
    },
  },
  {
    method: "GET",
    path: "accounts/{account}/env/{key}",
    run: (exchange) => ({ status: 200, json: show(getVariable(exchange).variable) }),
  },
  {
    method: "PUT",
    path: "accounts/{account}/env/{key}",
    async run(exchange) {
      const given = await readJson(exchange, Variable);
      const { id, variables, at } = getVariable(exchange);
      const next = made(exchange, given);
      keep(exchange, id, variables.with(at, next));
      return { status: 200, json: show(next) };
    },
  },
  {
    method: "PATCH",
    path: "accounts/{account}/env/{key}",
    async run(exchange) {
      const given = await readJson(exchange, SetValue);
      const { id, variables, at, variable } = getVariable(exchange);
      const others = variable.values.filter(({ context }) => context !== given.context);
      const next = {
        ...variable,
        values: [...others, { ...given, id: randomUUID() }],
        updated_at: iso(exchange.now),
      };
      keep(exchange, id, variables.with(at, next));
      return { status: 201, json: show(next) };
    },
  },
  {
    method: "DELETE",
    path: "accounts/{account}/env/{key}",
    run(exchange) {
      const { id, variables, at } = getVariable(exchange);
      keep(exchange, id, variables.toSpliced(at, 1));
      return { status: 204 };
    },
  },
];
