import { randomUUID } from "node:crypto";
import { z } from "zod";
import { readOptionalJson } from "../bodies.ts";
import { iso, newHex } from "../ids.ts";
import { type HostingParts, siteHost, siteUrl } from "../parts.ts";
import type { Site } from "../records.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { teamId, teamSlug } from "./account.ts";
import { invalidField, notFound } from "./errors.ts";

const NewSite = z.looseObject({ name: z.string().optional() });

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** A site in the form of `definitions.site`. */
function show(parts: HostingParts, site: Site): object {
  const url = siteUrl(parts, site.host);
  return {
    id: site.id,
    site_id: site.id,
    name: site.name,
    state: "current",
    plan: "standin",
    premium: false,
    custom_domain: null,
    domain_aliases: [],
    password: null,
    url,
    ssl_url: url,
    ssl: false,
    admin_url: `${parts.url()}/`,
    deploy_url: url,
    default_domain: siteHost(parts, site.host),
    user_id: site.account.slice(0, 24),
    account_id: teamId(site.account),
    account_slug: teamSlug(site.account),
    account_name: `Team ${site.account.slice(0, 6)}`,
    build_settings: {},
    deploy_id: site.live ?? "",
    created_at: iso(site.createdAt),
    updated_at: iso(site.updatedAt),
    published_deploy:
      site.live === undefined ? null : { id: site.live, site_id: site.id, state: "ready", name: site.name },
  };
}

/** Finds a site by its id, or by its domain as the API takes it, too. */
export function getSite({ parts, account, at }: Exchange): Site {
  const id = at("site");
  const site =
    parts.store.site("netlify", id) ?? parts.store.siteAt(id.replace(/\.localhost(?::\d+)?$/u, ""));
  if (!site || site.provider !== "netlify" || site.account !== account) throw notFound();
  return site;
}

/** One page of a list: `page` from 1, `per_page` up to 100. */
export function pageOf<T>(url: URL, all: readonly T[]): T[] {
  const page = Math.max(1, Number(url.searchParams.get("page") ?? 1));
  const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 100));
  return all.slice((page - 1) * size, page * size);
}

const LIST: WireCall["run"] = ({ parts, url, account }) => {
  // Part of a name: a client that means one site compares the whole.
  const name = url.searchParams.get("name") ?? "";
  const sites = parts.store.sites("netlify", account).filter((site) => site.name.includes(name));
  const isGuest = url.searchParams.get("filter") === "guest";
  return { status: 200, json: isGuest ? [] : pageOf(url, sites).map((site) => show(parts, site)) };
};

async function create(exchange: Exchange): Promise<{ status: number; json: object }> {
  const { parts, account, now } = exchange;
  const wish = await readOptionalJson(exchange, NewSite);
  const name = wish.name === undefined || wish.name === "" ? `standin-${newHex(8)}` : wish.name;
  if (!NAME.test(name)) throw invalidField("subdomain", "is invalid");
  const site = parts.store.transaction(() => {
    // A name is a subdomain of netlify.app: unique over all accounts.
    if (parts.store.siteNamed("netlify", name)) throw invalidField("subdomain", "must be unique");
    return parts.store.addSite({ id: randomUUID(), provider: "netlify", account, name }, now);
  });
  return { status: 201, json: show(parts, site) };
}

export const netlifySites: readonly WireCall[] = [
  { method: "GET", path: "sites", run: LIST },
  { method: "POST", path: "sites", run: create },
  {
    method: "GET",
    path: "{team}/sites",
    run(exchange) {
      if (exchange.at("team") !== teamSlug(exchange.account)) throw notFound();
      return LIST(exchange);
    },
  },
  {
    method: "POST",
    path: "{team}/sites",
    run(exchange) {
      if (exchange.at("team") !== teamSlug(exchange.account)) throw notFound();
      return create(exchange);
    },
  },
  {
    method: "GET",
    path: "sites/{site}",
    run: (exchange) => ({ status: 200, json: show(exchange.parts, getSite(exchange)) }),
  },
  {
    method: "DELETE",
    path: "sites/{site}",
    run(exchange) {
      exchange.parts.store.removeSite(getSite(exchange));
      return { status: 204 };
    },
  },
];
