import { mkdirSync } from "node:fs";
import type http from "node:http";
import path from "node:path";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { serve } from "#local/serve.ts";
import { Database } from "#stand-ins/shared/sqlite.ts";
import { Faults } from "#stand-ins/shared/faults.ts";
import { isOwnRequest } from "#stand-ins/shared/own-requests.ts";
import { isMeant, served, serveApi } from "./api.ts";
import { Builds } from "./builds.ts";
import { cloudflareWire } from "./cloudflare/wire.ts";
import { serveControls } from "./controls.ts";
import { buildDigitalocean } from "./digitalocean/deployment.ts";
import { digitaloceanWire } from "./digitalocean/wire.ts";
import { buildHeroku } from "./heroku/builds.ts";
import { herokuWire } from "./heroku/wire.ts";
import { Journal, JOURNAL_TABLES } from "./journal.ts";
import { KeptFiles } from "./kept-files.ts";
import { netlifyWire } from "./netlify/wire.ts";
import { OAUTH_WIRES, serveConsent } from "./oauth.ts";
import { serveIndex } from "./pages.ts";
import type { HostingParts } from "./parts.ts";
import type { Pace } from "./records.ts";
import { isSiteName, serveHost, servePath } from "./serve-sites.ts";
import { Signer } from "./signer.ts";
import { HOSTING_TABLES, HostingStore } from "./store.ts";
import { TOKEN_TABLES, Tokens } from "./tokens.ts";
import { vercelWire } from "./vercel/wire.ts";

/** Below this path of the service OAuth leads back. */
const CALLBACKS = "/api/deployment-oauth/";

const PACE: Pace = { queued: 200, building: 600 };

const WIRES = [
  ...OAUTH_WIRES.map((wire) => served(wire, { isPartial: true })),
  ...[vercelWire, netlifyWire, cloudflareWire, herokuWire, digitaloceanWire].map((wire) => served(wire)),
];

/**
 * Five hosting providers on this machine, for trying deployments without an account at one: the calls that publish files,
 * OAuth with a consent page, and the sites themselves, at `http://<name>.localhost:<port>/` and `/_sites/<name>/`. Every
 * token that begins with `standin_` is an account of its own. The state is `DATA_DIR/hosting.sqlite` and
 * `DATA_DIR/hosting-files`.
 */
export async function startHosting(options: {
  dataDir: string;
  /** Address of the service, to which consent pages lead back. */
  publicUrl: string;
  log: (line: string) => void;
  preferredPort?: number;
  /** Milliseconds since the epoch. */
  clock?: () => number;
  pace?: Pace;
}): Promise<{ url: string; close: () => Promise<void> }> {
  const { dataDir, publicUrl, log, preferredPort, clock = Date.now, pace = PACE } = options;
  mkdirSync(dataDir, { recursive: true });
  const db = new Database(
    path.join(dataDir, "hosting.sqlite"),
    HOSTING_TABLES + TOKEN_TABLES + JOURNAL_TABLES,
  );
  const store = new HostingStore(db, pace);
  const builds = new Builds({ store, clock, log });
  let address = "";
  const parts: HostingParts = {
    store,
    builds,
    clock,
    files: new KeptFiles(dataDir),
    tokens: new Tokens(db),
    signer: new Signer(dataDir),
    journal: new Journal(db),
    faults: new Faults(isMeant),
    url: () => address,
    callbacks: `${withoutSlash(publicUrl)}${CALLBACKS}`,
  };
  builds.use("heroku", (deployment) => buildHeroku(parts, deployment));
  builds.use("digitalocean", (deployment, closing) =>
    buildDigitalocean({ ...parts, dataDir }, deployment, closing),
  );
  const { url, close } = await serve(
    async (request, response) => {
      store.publishDue(clock());
      await answer(parts, request, response);
    },
    { isOwnName: isSiteName, ...(preferredPort !== undefined && { preferredPort }) },
  );
  address = url;
  builds.resume();
  return {
    url,
    close: async () => {
      await close();
      await builds.close();
      db.close();
    },
  };
}

async function answer(
  parts: HostingParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  // A site is a stranger's page: its host name leads to nothing else.
  if (await serveHost(parts, request, response, url)) return;
  if (isConsent(url) || !(await serveApi(parts, WIRES, request, response, url))) {
    await serveOwn(parts, request, response, url);
  }
}

/** Consent pages lie below the addresses of the wires. */
function isConsent({ pathname }: URL): boolean {
  return pathname.endsWith("/authorize");
}

async function serveOwn(
  parts: HostingParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<void> {
  // The service's pages lead to pages here, and only there: everything else is for the stand-in's own.
  const isReading = request.method === "GET" || request.method === "HEAD";
  if (!isReading && !isOwnRequest(request)) {
    response.writeHead(403, { "content-type": "text/plain" }).end("Not for pages of other sites");
    return;
  }
  const isAnswered =
    (await serveConsent(parts, request, response, url)) ||
    (await serveControls(parts, request, response, url)) ||
    (await servePath(parts, request, response, url)) ||
    serveIndex(parts, request, response, url);
  if (!isAnswered) response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here");
}
