import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { readForm, readJson } from "../bodies.ts";
import { hexOf, iso } from "../ids.ts";
import type { Site } from "../records.ts";
import { InvalidBody } from "../invalid-body.ts";
import type { Answer, Exchange, WireCall } from "../wire.ts";
import { checkAccount } from "./account.ts";
import { completedFiles } from "./assets.ts";
import { refuse, success } from "./errors.ts";

/** https://developers.cloudflare.com/workers/configuration/multipart-upload-metadata/ */
const Metadata = z.looseObject({
  main_module: z.string().optional(),
  body_part: z.string().optional(),
  compatibility_date: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/u)
    .optional(),
  compatibility_flags: z.array(z.string()).optional(),
  bindings: z.array(z.looseObject({ type: z.string(), name: z.string() })).optional(),
  keep_assets: z.boolean().optional(),
  keep_bindings: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  assets: z
    .looseObject({
      jwt: z.string().optional(),
      config: z
        .looseObject({
          html_handling: z
            .enum(["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"])
            .optional(),
          not_found_handling: z.enum(["none", "404-page", "single-page-application"]).optional(),
        })
        .optional(),
    })
    .optional(),
});
type Metadata = z.infer<typeof Metadata>;

const NAME = /^[a-z0-9_][a-z0-9_-]{0,62}$/u;

/** A Worker's name as it is kept: those of a dispatch namespace have it in front. */
function nameOf({ at }: Exchange): string {
  const namespace = at("namespace");
  return namespace === "" ? at("script") : `${namespace}/${at("script")}`;
}

function findScript(exchange: Exchange): Site | undefined {
  checkAccount(exchange);
  return exchange.parts.store.siteNamed("cloudflare", nameOf(exchange), exchange.account);
}

/** Throws the provider's 404 for a Worker that the account does not have. */
export function getScript(exchange: Exchange): Site {
  const script = findScript(exchange);
  if (!script) throw refuse(404, 10_007, "This Worker does not exist on your account.");
  return script;
}

function show(site: Site): object {
  return {
    id: site.name.replace(/^.*\//u, ""),
    tag: hexOf(site.id),
    etag: createHash("sha256").update(`${site.id} ${site.updatedAt}`).digest("hex"),
    handlers: ["fetch"],
    created_on: iso(site.createdAt),
    modified_on: iso(site.updatedAt),
    usage_model: "standard",
    has_assets: site.details["hasAssets"] === true,
    has_modules: site.details["hasModules"] === true,
    last_deployed_from: "api",
    startup_time_ms: 1,
  };
}

/** Reads the form of an upload: the part `metadata`, and the module that it names. */
async function readUpload(exchange: Exchange): Promise<Metadata> {
  const form = await readForm(exchange);
  const part = form.get("metadata");
  if (part === null) throw refuse(400, 10_021, "The part metadata is missing");
  const metadata = safeParseJson(typeof part === "string" ? part : await part.text(), Metadata)?.value;
  if (!metadata) throw new InvalidBody("The part metadata is invalid");
  const main = metadata.main_module ?? metadata.body_part;
  if (main !== undefined && !form.has(main)) {
    throw refuse(400, 10_021, `The part ${main}, which metadata names, is missing`);
  }
  if (main === undefined && !metadata.assets && metadata.keep_assets !== true) {
    throw refuse(400, 10_021, "The Worker has neither a main module nor assets");
  }
  return metadata;
}

async function upload(exchange: Exchange): Promise<Answer> {
  checkAccount(exchange);
  const { parts, account, now, at } = exchange;
  const metadata = await readUpload(exchange);
  if (!NAME.test(at("script"))) throw refuse(400, 10_016, "Invalid Worker name");
  const { store } = parts;
  const site = store.transaction(() => {
    const earlier = findScript(exchange);
    const jwt = metadata.assets?.jwt;
    const files =
      jwt === undefined
        ? metadata.keep_assets === true && earlier?.live !== undefined
          ? store.files(earlier.live)
          : []
        : completedFiles(exchange, nameOf(exchange), jwt);
    if (!files) throw refuse(400, 10_021, "The token of the assets is invalid or has expired");
    const details = {
      ...earlier?.details,
      // A Worker of a namespace is reached through its dispatcher, which the stand-in is.
      enabled: at("namespace") !== "" || earlier?.details["enabled"] === true,
      hasAssets: files.length > 0,
      hasModules: metadata.main_module !== undefined,
      notFound: metadata.assets?.config?.not_found_handling ?? "none",
    };
    const script =
      earlier ??
      store.addSite(
        { id: randomUUID(), provider: "cloudflare", account, name: nameOf(exchange), details },
        now,
      );
    store.changeSite(script, details, now);
    const deployment = store.addDeployment(
      {
        id: randomUUID(),
        site: script.id,
        status: "ready",
        files,
        log: [`Uploaded ${files.length} assets.`],
      },
      now,
    );
    // A Worker is there as soon as its upload is answered.
    store.publishNow(deployment);
    return getScript(exchange);
  });
  return success(show(site));
}

function remove(exchange: Exchange): Answer {
  exchange.parts.store.removeSite(getScript(exchange));
  return success(null);
}

const Subdomain = z.looseObject({ enabled: z.boolean(), previews_enabled: z.boolean().optional() });

const SCRIPT = "accounts/{account}/workers/scripts/{script}";
const DISPATCHED = "accounts/{account}/workers/dispatch/namespaces/{namespace}/scripts/{script}";

export const cloudflareScripts: readonly WireCall[] = [
  {
    method: "GET",
    path: "accounts/{account}/workers/scripts",
    run(exchange) {
      checkAccount(exchange);
      const scripts = exchange.parts.store.sites("cloudflare", exchange.account);
      return success(scripts.filter(({ name }) => !name.includes("/")).map(show));
    },
  },
  { method: "PUT", path: SCRIPT, run: upload },
  { method: "DELETE", path: SCRIPT, run: remove },
  { method: "PUT", path: DISPATCHED, run: upload },
  { method: "DELETE", path: DISPATCHED, run: remove },
  {
    method: "GET",
    path: DISPATCHED,
    run(exchange) {
      const script = getScript(exchange);
      return success({
        script: show(script),
        dispatch_namespace: exchange.at("namespace"),
        created_on: iso(script.createdAt),
        modified_on: iso(script.updatedAt),
      });
    },
  },
  {
    method: "GET",
    path: `${SCRIPT}/subdomain`,
    run(exchange) {
      const enabled = getScript(exchange).details["enabled"] === true;
      return success({ enabled, previews_enabled: enabled });
    },
  },
  {
    method: "POST",
    path: `${SCRIPT}/subdomain`,
    async run(exchange) {
      const { enabled, previews_enabled: previews = enabled } = await readJson(exchange, Subdomain);
      const script = getScript(exchange);
      exchange.parts.store.changeSite(script, { ...script.details, enabled }, exchange.now);
      return success({ enabled, previews_enabled: previews });
    },
  },
];
