import { randomUUID } from "node:crypto";
import { z } from "zod";
import { readJson, readOptionalJson } from "../bodies.ts";
import { asUuid, iso, newHex } from "../ids.ts";
import { type HostingParts, siteUrl } from "../parts.ts";
import type { Site } from "../records.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { refuse } from "./errors.ts";

const MAX_CONFIG_BYTES = 32 * 1024;

const NewApp = z.strictObject({
  name: z.string().optional(),
  region: z.string().optional(),
  stack: z.string().optional(),
  feature_flags: z.array(z.string()).optional(),
});

const NAME = /^[a-z][a-z0-9-]{1,28}[a-z0-9]$/u;

export const ownerOf = (account: string) => ({
  id: asUuid(account),
  email: `${account.slice(0, 6)}@heroku.invalid`,
});

const STACK = { id: asUuid("0".repeat(32)), name: "heroku-24" };
export { STACK };

function show(parts: HostingParts, site: Site): object {
  const { id, name, account, createdAt, updatedAt, live, details } = site;
  return {
    id,
    name,
    acm: false,
    archived_at: null,
    buildpack_provided_description: null,
    build_stack: STACK,
    stack: STACK,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    released_at: live === undefined ? null : iso(updatedAt),
    git_url: `https://git.heroku.invalid/${name}.git`,
    internal_routing: null,
    maintenance: false,
    organization: null,
    team: null,
    space: null,
    owner: ownerOf(account),
    region: { id: asUuid("1".repeat(32)), name: details["region"] ?? "us" },
    repo_size: null,
    slug_size: null,
    web_url: `${siteUrl(parts, site.host)}/`,
  };
}

/** Finds the app that the path names, by its id or its name. */
export function getApp({ parts: { store }, account, at }: Exchange): Site {
  const app = store.site("heroku", at("app")) ?? store.siteNamed("heroku", at("app"));
  if (!app) throw refuse(404, "not_found", "Couldn't find that app.", { resource: "app" });
  if (app.account !== account) {
    throw refuse(403, "forbidden", `You do not have access to the app ${at("app")}.`);
  }
  return app;
}

const Config = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/u, "is not a name of a config var"),
  z.union([z.string(), z.null()]),
);

function configOf({ details }: Site): Record<string, string> {
  return z.record(z.string(), z.string()).parse(details["config"] ?? {});
}

export const herokuApps: readonly WireCall[] = [
  {
    method: "GET",
    path: "account",
    run: ({ account }) => ({
      status: 200,
      json: {
        ...ownerOf(account),
        allow_tracking: false,
        beta: false,
        country_of_residence: null,
        created_at: iso(0),
        updated_at: iso(0),
        default_organization: null,
        default_team: null,
        federated: false,
        identity_provider: null,
        last_login: null,
        name: `Person ${account.slice(0, 6)}`,
        sms_number: null,
        suspended_at: null,
        delinquent_at: null,
        two_factor_authentication: false,
        verified: true,
      },
    }),
  },
  {
    method: "GET",
    path: "apps",
    run: ({ parts, account }) => ({
      status: 200,
      json: parts.store.sites("heroku", account).map((site) => show(parts, site)),
    }),
  },
  {
    method: "POST",
    path: "apps",
    async run(exchange) {
      const { parts, account, now } = exchange;
      const { name = `standin-${newHex(8)}`, ...wish } = await readOptionalJson(exchange, NewApp);
      if (!NAME.test(name)) {
        throw refuse(
          422,
          "invalid_params",
          "Name must start with a letter, end with a letter or digit and can only contain lowercase letters, digits, and dashes. It is 3 to 30 characters long.",
        );
      }
      const app = parts.store.transaction(() => {
        // A name is unique over all accounts.
        if (parts.store.siteNamed("heroku", name)) {
          throw refuse(422, "invalid_params", `Name ${name} is already taken`);
        }
        return parts.store.addSite(
          { id: randomUUID(), provider: "heroku", account, name, details: wish },
          now,
        );
      });
      return { status: 201, json: show(parts, app) };
    },
  },
  {
    method: "GET",
    path: "apps/{app}",
    run: (exchange) => ({ status: 200, json: show(exchange.parts, getApp(exchange)) }),
  },
  {
    method: "DELETE",
    path: "apps/{app}",
    run(exchange) {
      const app = getApp(exchange);
      exchange.parts.store.removeSite(app);
      return { status: 200, json: show(exchange.parts, app) };
    },
  },
  {
    method: "GET",
    path: "apps/{app}/config-vars",
    run: (exchange) => ({ status: 200, json: configOf(getApp(exchange)) }),
  },
  {
    method: "PATCH",
    path: "apps/{app}/config-vars",
    async run(exchange) {
      const given = await readJson(exchange, Config);
      const app = getApp(exchange);
      const next = Object.entries({ ...configOf(app), ...given }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      );
      const config = Object.fromEntries(next);
      if (Buffer.byteLength(JSON.stringify(config)) > MAX_CONFIG_BYTES) {
        throw refuse(422, "invalid_params", "Config vars may have 32kb together.");
      }
      exchange.parts.store.changeSite(app, { ...app.details, config }, exchange.now);
      return { status: 200, json: config };
    },
  },
];
