import { z } from "zod";
import { pathOf, type Api } from "./api.ts";
import { HostingFailure } from "./failure.ts";
import type { HostedSite, Release } from "./hosting.ts";

/** Only the fields that are read. Source: netlify/open-api, swagger.yml, "environmentVariables". */
const Owner = z.object({ account_slug: z.string().nullish(), account_id: z.string().nullish() });
const Variables = z.array(
  z.object({
    key: z.string(),
    values: z.array(z.object({ context: z.string().nullish(), value: z.string().nullish() })).nullish(),
  }),
);

/** A value in every context of Netlify: builds, previews, production. */
const inAll = (key: string, value: string) => ({ key, values: [{ context: "all", value }] });

/** Sets variables of a site. Those that it has with the same value, and others of its own, stay as they are. */
export async function setNetlifyVariables(api: Api, site: HostedSite, env: Release["env"]): Promise<void> {
  const owner = await api.send(Owner, { path: `/sites${pathOf(site.id)}` });
  const account = owner.account_slug ?? owner.account_id;
  if (!account) throw new HostingFailure("refused", "Netlify does not say which account the site is in");
  const path = `/accounts${pathOf(account)}/env`;
  const query = { site_id: site.id };
  const known = await api.send(Variables, { path, query });
  const values = new Map(
    known.map(({ key, values: all }) => [key, all?.find(({ context }) => context === "all")?.value]),
  );
  const missing = Object.entries(env).filter(([key]) => !values.has(key));
  if (missing.length > 0) {
    const json = missing.map(([key, value]) => inAll(key, value));
    await api.send(z.unknown(), { method: "POST", path, query, json });
  }
  for (const [key, value] of Object.entries(env)) {
    if (!values.has(key) || values.get(key) === value) continue;
    await api.send(z.unknown(), { method: "PUT", path: path + pathOf(key), query, json: inAll(key, value) });
  }
}
