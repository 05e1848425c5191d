import { z } from "zod";
import { createApi, LIST_BYTES, pathOf, type Api, type Call, type EndpointOf } from "../api.ts";
import { assetDigest } from "../digests.ts";
import { HostingFailure } from "../failure.ts";
import type { HostingAccess, HostingProvider, Release } from "../hosting.ts";
import type { Refusal } from "../refusal.ts";
import { createSiteName } from "../site-name.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { answerOf, type CloudflareApi } from "./answer.ts";
import { sendAssets } from "./assets.ts";
import { scriptForm } from "./script-form.ts";

/*
 * Sources: developers.cloudflare.com, "Workers", "Static assets", "Direct uploads"; cloudflare/workers-sdk,
 * packages/deploy-helpers (assets.ts, create-worker-upload-form.ts, triggers/subdomain.ts).
 */

/** A label of a host name. */
const MAX_NAME = 63;

const Scripts = z.array(z.object({ id: z.string() }));
const Anything = z.unknown();
const Uploaded = z.object({ deployment_id: z.string().nullish() });
const Subdomain = z.object({ subdomain: z.string() });

/** Requests after the assets: the script, its subdomain. */
const RESERVE = 2;

/**
 * Static files as a Worker. A script is published by the call that uploads it, which may be repeated: nothing has to be found
 * again. `addressOf` makes the address of a script of an account's subdomain.
 */
export function createCloudflare(
  endpointOf: EndpointOf,
  addressOf: (access: HostingAccess, name: string, subdomain: string) => string,
): HostingProvider {
  const open = (access: HostingAccess, env: Release["env"] = {}): CloudflareApi => {
    const account = access.metadata["account_id"];
    if (!account) {
      throw new HostingFailure(
        "refused",
        "Cloudflare needs the id of the account: enter it beside the token",
      );
    }
    const api = createApi(endpointOf(access), {
      headers: { authorization: `Bearer ${access.token}` },
      secrets: [access.token, ...Object.values(env)],
    });
    const workers = `/accounts${pathOf(account)}/workers`;
    const namespace = access.metadata["dispatch_namespace"] || undefined;
    const scripts =
      namespace === undefined
        ? `${workers}/scripts`
        : `${workers}/dispatch/namespaces${pathOf(namespace)}/scripts`;
    return { api, account, workers, scripts, isDispatched: namespace !== undefined };
  };

  /** Null in a namespace, whose scripts are reached through the account's own Worker. */
  const siteUrl = async (access: HostingAccess, cloudflare: CloudflareApi, name: string) =>
    cloudflare.isDispatched ? null : addressOf(access, name, await subdomainOf(cloudflare));

  return {
    name: "cloudflare",
    siteName: createSiteName(MAX_NAME),
    digest: assetDigest,
    async account(access) {
      const { api, account, workers } = open(access);
      await send(api, Scripts, { path: `${workers}/scripts`, maxBytes: LIST_BYTES });
      return { id: account, name: access.metadata["account_name"] ?? account };
    },
    async findSite(access, name) {
      const { api, workers, scripts, isDispatched } = open(access);
      if (isDispatched) {
        const found = await api.find(answerOf(Anything), { path: scripts + pathOf(name) });
        return found && { id: name, name, url: null };
      }
      const found = await send(api, Scripts, { path: `${workers}/scripts`, maxBytes: LIST_BYTES });
      return found.some(({ id }) => id === name) ? { id: name, name, url: null } : undefined;
    },
    // A script is made by its first upload; only the account's subdomain must be there.
    async createSite(access, { name }) {
      const cloudflare = open(access);
      return { id: name, name, url: await siteUrl(access, cloudflare, name) };
    },
    async publish(access, release, budget) {
      const cloudflare = open(access, release.env);
      const { api, scripts, isDispatched } = cloudflare;
      const jwt = await sendAssets(cloudflare, release, budget);
      if (jwt === undefined || budget.left < RESERVE) return "unfinished";
      const path = scripts + pathOf(release.site.id);
      const form = await scriptForm(release, jwt);
      const { deployment_id } = await send(api, Uploaded, { method: "PUT", path, upload: form });
      if (!isDispatched) {
        const json = { enabled: true, previews_enabled: false };
        await send(api, Anything, { method: "POST", path: `${path}/subdomain`, json });
      }
      return { deploymentId: deployment_id ?? release.id };
    },
    async state(access, site) {
      const url = await siteUrl(access, open(access), site.name);
      return { word: "deployed", outcome: "success", url, error: null };
    },
    logs: () => Promise.resolve([]),
    cancel: () => Promise.resolve(),
    removeSite(access, site) {
      const { api, scripts } = open(access);
      return api.run({ method: "DELETE", path: scripts + pathOf(site.id), query: { force: "true" } }, [404]);
    },
  };
}

async function send<T>(api: Api, schema: z.ZodType<T>, call: Call): Promise<T> {
  const { result } = await api.send(answerOf(schema), call, refusedToken);
  return result;
}

const Codes = z.object({ errors: z.array(z.object({ code: z.number() })) });
/** Malformed tokens are bad requests: "Invalid request headers", "Invalid format for Authorization header". */
const TOKEN_CODES: ReadonlySet<number> = new Set([6003, 6111, 9106]);
/** The account has no subdomain of workers.dev. */
const NO_SUBDOMAIN = 10007;

function hasCode({ text }: Refusal, isIt: (code: number) => boolean): boolean {
  return safeParseJson(text, Codes)?.value.errors.some(({ code }) => isIt(code)) ?? false;
}

function refusedToken(refusal: Refusal): HostingFailure | undefined {
  return refusal.status === 400 && hasCode(refusal, (code) => TOKEN_CODES.has(code))
    ? new HostingFailure("unauthorized", "Cloudflare refuses the credential")
    : undefined;
}

async function subdomainOf({ api, workers }: CloudflareApi): Promise<string> {
  const { result } = await api.send(answerOf(Subdomain), { path: `${workers}/subdomain` }, (refusal) =>
    refusal.status === 404 || hasCode(refusal, (code) => code === NO_SUBDOMAIN)
      ? new HostingFailure(
          "refused",
          "The Cloudflare account has no subdomain of workers.dev: choose one in its dashboard, under Workers",
        )
      : refusedToken(refusal),
  );
  return result.subdomain;
}
