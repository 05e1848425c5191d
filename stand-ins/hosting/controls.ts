import type http from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { WishedFaults } from "#stand-ins/shared/faults.ts";
import { sendJson } from "#stand-ins/shared/send-json.ts";
import { type HostingParts, siteUrl } from "./parts.ts";
import { PROVIDERS } from "./providers.ts";

/** What tests look at: no tokens, and no values of variables. */
const LISTS: Readonly<Record<string, (parts: HostingParts) => object>> = {
  calls: ({ journal }) => journal.list(),
  sites: (parts) =>
    parts.store.sites().map(({ id, provider, account, name, host, live, createdAt }) => ({
      id,
      provider,
      account,
      name,
      url: `${siteUrl(parts, host)}/`,
      path: `/_sites/${host}/`,
      live: live ?? null,
      created_at: createdAt,
    })),
  deployments(parts) {
    const sites = new Map(parts.store.sites().map((site) => [site.id, site]));
    return parts.store.deployments().map((deployment) => ({
      id: deployment.id,
      site: deployment.site,
      provider: sites.get(deployment.site)?.provider ?? null,
      phase: parts.store.phase(deployment, parts.clock()),
      live: sites.get(deployment.site)?.live === deployment.id,
      files: parts.store.files(deployment.id).length,
      reason: deployment.reason ?? null,
      created_at: deployment.createdAt,
    }));
  },
};

const Expiry = z.strictObject({ provider: z.enum(PROVIDERS).optional() });

const CONTROLS: Readonly<Record<string, (parts: HostingParts, fields: unknown) => object>> = {
  faults({ faults }, fields) {
    const wished = WishedFaults.parse(fields);
    faults.set(wished.faults);
    return wished;
  },
  "tokens/expire"({ tokens, clock }, fields) {
    return { expired: tokens.expire(Expiry.parse(fields).provider, clock()) };
  },
  "calls/clear"({ journal }) {
    journal.clear();
    return {};
  },
};

/** Serves what lies below `/_standin/`; returns false for other addresses. */
export async function serveControls(
  parts: HostingParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  if (!url.pathname.startsWith("/_standin/")) return false;
  const at = url.pathname.slice("/_standin/".length);
  if (request.method === "GET") {
    const list = LISTS[at];
    if (!list) return false;
    sendJson(response, 200, list(parts));
    return true;
  }
  const control = request.method === "POST" ? CONTROLS[at] : undefined;
  if (!control) return false;
  const body = await text(request);
  const fields = body === "" ? { value: {} } : safeParseJson(body, z.unknown());
  if (!fields) sendJson(response, 400, { detail: "Not JSON" });
  else {
    try {
      sendJson(response, 200, control(parts, fields.value));
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      sendJson(response, 400, { detail: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}` });
    }
  }
  return true;
}
