import { mkdirSync } from "node:fs";
import type http from "node:http";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "#src/lib/errors.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { distances } from "#local/distances.ts";
import { serve } from "#local/serve.ts";
import { Database } from "#stand-ins/shared/sqlite.ts";
import { queueCredentials } from "./credentials.ts";
import type { Places } from "./lanes.ts";
import { Dispatcher } from "./dispatcher.ts";
import { withFaults, type Faults } from "./faults.ts";
import { rebase, SETTING_TABLE } from "./public-address.ts";
import { answerApi, type Stores } from "./routes.ts";
import { SCHEDULE_TABLE, ScheduleStore } from "./schedule-store.ts";
import { createSend, type Send } from "./send.ts";
import { createSigner } from "./signature.ts";
import { MESSAGE_TABLES, QueueStore } from "./store.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** Steps of agents, by their flow-control keys or their address, have places that nothing else takes. */
const PLACES: Places = {
  favoured: { lanes: /^agent-step\.|\/functions\/agent-step$/u, places: 48 },
  others: 32,
};

export interface QueueServer {
  /** Address of the REST API, for `QSTASH_URL`. */
  url: string;
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
  /**
   * Starts delivering: first the stored messages, including those that were under way when the last process ended. Call
   * it again after a restart of the service: messages to which it could not respond are then delivered at once.
   */
  begin: () => void;
  /** Stops at once; deliveries under way are abandoned and repeated by the next process. */
  close: () => Promise<void>;
}

/**
 * A queue with QStash's REST API and delivery: at least once, signed, with retries, deduplication, callbacks, dead
 * letters, schedules and the parallelism of flow control. URL groups are not supported. The state is `DATA_DIR/queue.sqlite`; a message is
 * signed when it is sent, so a message stored under earlier keys is signed with the current ones. Addresses below
 * `publicUrl` are delivered to `deliverTo`; `places` bounds the concurrent deliveries.
 */
export async function startQueue(options: {
  dataDir: string;
  publicUrl: string;
  deliverTo: string;
  log: (line: string) => void;
  places?: Places;
  faults?: Faults;
}): Promise<QueueServer> {
  const publicUrl = withoutSlash(options.publicUrl);
  const deliverTo = withoutSlash(options.deliverTo);
  mkdirSync(options.dataDir, { recursive: true });
  const db = new Database(
    path.join(options.dataDir, "queue.sqlite"),
    SETTING_TABLE + MESSAGE_TABLES + SCHEDULE_TABLE,
  );
  const store = new QueueStore(db, Date.now());
  const schedules = new ScheduleStore(db, store, Date.now());
  rebase(db, [store, schedules], publicUrl);
  const { token, currentSigningKey, nextSigningKey } = queueCredentials(options.dataDir);
  const { send, close: closeConnections } = createSend({
    publicUrl,
    deliverTo,
    sign: createSigner(currentSigningKey),
  });
  const dispatcher = new Dispatcher({
    store,
    schedules,
    send: withFaults(later(send, distances.delivery), options.faults ?? {}),
    places: options.places ?? PLACES,
    log: options.log,
  });

  const stores = { store, schedules, underWay: (key: string) => dispatcher.underWay(key) };

  const { url, close } = await serve(
    async (request, response) => {
      const { status, body } = await answer(stores, token, request);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      dispatcher.wake();
    },
    { distanceMs: distances.publish },
  );

  return {
    url,
    token,
    currentSigningKey,
    nextSigningKey,
    begin: () => dispatcher.begin(),
    close: async () => {
      dispatcher.close();
      closeConnections();
      await close();
      db.close();
    },
  };
}

/** Sends each message after a time. */
function later(send: Send, ms: number): Send {
  if (ms === 0) return send;
  return async (message, signal) => {
    await pause(ms);
    return send(message, signal);
  };
}

async function answer(
  stores: Stores,
  token: string,
  request: http.IncomingMessage,
): Promise<{ status: number; body: unknown }> {
  try {
    if (request.headers.authorization !== `Bearer ${token}`) {
      throw new AppError("unauthenticated", "Invalid token");
    }
    return answerApi(stores, {
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: new Headers(Object.entries(request.headersDistinct).flatMap(pairs)),
      body: await readBody(request),
    });
  } catch (error) {
    if (error instanceof AppError) return { status: error.status, body: { error: error.message } };
    return { status: 500, body: { error: String(error) } };
  }
}

async function readBody(request: http.IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    if (size > MAX_REQUEST_BYTES) throw new AppError("too_large", "A request may have 16 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pairs([name, values]: [string, string[] | undefined]): [string, string][] {
  return (values ?? []).map((value) => [name, value]);
}
