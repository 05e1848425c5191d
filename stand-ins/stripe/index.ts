import { mkdirSync } from "node:fs";
import type http from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { AppError } from "#src/lib/errors.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { serve } from "#local/serve.ts";
import { Database } from "#stand-ins/shared/sqlite.ts";
import { Faults } from "#stand-ins/shared/faults.ts";
import { redirect } from "#stand-ins/shared/markup.ts";
import { isOwnRequest } from "#stand-ins/shared/own-requests.ts";
import { sendJson } from "#stand-ins/shared/send-json.ts";
import { type ApiParts, serveApi } from "./api.ts";
import { ApiError } from "./api-error.ts";
import type { Books } from "./books.ts";
import { type ControlParts, listForTests, readFields, runControl } from "./controls.ts";
import { stripeCredentials } from "./credentials.ts";
import { EVENT_TABLE, EventStore } from "./events.ts";
import { IDEMPOTENCY_TABLE, IdempotencyKeys } from "./idempotency.ts";
import { expireDueSessions } from "./objects/checkout.ts";
import { type CataloguePrice, putCatalogue } from "./objects/prices.ts";
import { serveCheckout } from "./pages/checkout.ts";
import { serveDashboard } from "./pages/dashboard.ts";
import { serveOnboarding } from "./pages/onboarding.ts";
import { servePortal } from "./pages/portal.ts";
import { OBJECT_TABLES, ObjectStore } from "./store.ts";
import { WEBHOOK_TABLE, Webhooks } from "./webhooks.ts";

/** The path of the service that receives events. */
const WEBHOOK_PATH = "/api/webhooks/stripe";
const SWEEP_MS = 30_000;

export interface StripeServer {
  /** The API's origin, for `STRIPE_API_BASE_URL`; its page is the dashboard. */
  url: string;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Starts sending events; again after a restart of the service, so that it has at once what it missed. */
  begin: () => void;
  close: () => Promise<void>;
}

interface Parts extends ApiParts, ControlParts {
  catalogue: readonly CataloguePrice[];
}

/**
 * Stripe on this machine, for trying payments without an account at it: the calls that the service makes, their objects in
 * the version that the SDK pins, signed events, and pages for the payer, the subscriber and the one who is paid. Money is
 * a number in `DATA_DIR/stripe.sqlite`. Events go to `deliverTo`, until the service acknowledges them.
 */
export async function startStripe(options: {
  dataDir: string;
  /** Address of the service. */
  deliverTo: string;
  /** Prices that exist from the start. */
  catalogue: readonly CataloguePrice[];
  log: (line: string) => void;
  preferredPort?: number;
  /** Milliseconds since the epoch. */
  clock?: () => number;
}): Promise<StripeServer> {
  const { dataDir, catalogue, log, preferredPort, clock = Date.now } = options;
  mkdirSync(dataDir, { recursive: true });
  const db = new Database(
    path.join(dataDir, "stripe.sqlite"),
    OBJECT_TABLES + EVENT_TABLE + IDEMPOTENCY_TABLE + WEBHOOK_TABLE,
  );
  const credentials = stripeCredentials(dataDir);
  const events = new EventStore(db);
  let address = "";
  const books: Books = { store: new ObjectStore(db), events, clock, url: () => address };
  const webhooks = new Webhooks({
    db,
    events,
    target: `${withoutSlash(options.deliverTo)}${WEBHOOK_PATH}`,
    secret: credentials.webhookSecret,
    clock,
    log,
  });
  books.store.transaction(() => putCatalogue(books, catalogue));
  const parts: Parts = {
    books,
    webhooks,
    catalogue,
    faults: new Faults(isMeant),
    keys: new IdempotencyKeys(db),
    secretKey: credentials.secretKey,
  };

  const { url, close } = await serve(
    async (request, response) => {
      sweep(parts);
      await answer(parts, request, response);
      webhooks.wake();
    },
    preferredPort === undefined ? {} : { preferredPort },
  );
  address = url;
  const sweeper = setInterval(() => {
    sweep(parts);
    webhooks.wake();
  }, SWEEP_MS);
  return {
    url,
    ...credentials,
    begin: () => webhooks.begin(),
    close: async () => {
      clearInterval(sweeper);
      webhooks.close();
      await close();
      db.close();
    },
  };
}

function sweep({ books }: Parts): void {
  books.store.transaction(() => expireDueSessions(books));
}

async function answer(
  parts: Parts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/v1/")) {
    await serveApi(parts, request, response, url);
    return;
  }
  // The service's pages lead to pages here, and only there: everything else is for the stand-in's own.
  if (request.method !== "GET" && !isOwnRequest(request)) {
    response.writeHead(403, { "content-type": "text/plain" }).end("Not for pages of other sites");
    return;
  }
  const isAnswered =
    (await serveControls(parts, request, response, url)) ||
    serveDashboard(parts, request, response, url) ||
    serveCheckout(parts.books, request, response, url) ||
    serveOnboarding(parts.books, request, response, url) ||
    (await servePortal(parts.books, parts.catalogue, request, response, url));
  if (!isAnswered) response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here");
}

/** Serves what lies below `/_standin/`; returns false for other addresses. */
async function serveControls(
  parts: Parts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  if (!url.pathname.startsWith("/_standin/")) return false;
  const at = url.pathname.slice("/_standin/".length);
  if (request.method === "GET") {
    const found = listForTests(parts, at);
    if (found) sendJson(response, 200, found);
    return found !== undefined;
  }
  try {
    const fields = readFields(request.headers["content-type"] ?? "", await text(request));
    const result = runControl(parts, at, fields);
    if (result && typeof fields["_back"] === "string") redirect(response, "/");
    else if (result) sendJson(response, 200, result);
    return result !== undefined;
  } catch (error) {
    if (error instanceof ApiError) sendJson(response, error.status, { error: error.body });
    else if (error instanceof AppError) sendJson(response, error.status, { detail: error.message });
    else throw error;
    return true;
  }
}

/** A fault's `call` is a method and a path below `/v1/`; it means what lies below that path, too. */
function isMeant(wanted: string, call: string): boolean {
  return call === wanted || call.startsWith(`${wanted}/`);
}
