import { UnauthorizedError, Workspace } from "@agent-workspace/client";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { failureOf } from "../../report.ts";
import { isObject } from "../../json.ts";
import { openService } from "../../service.ts";
import { probeSocket } from "./probe-socket.ts";
import manifest from "../../../package.json" with { type: "json" };

/** What was found, as `--json` prints it. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "failed" | "skipped";
  readonly detail: string;
  readonly advice: string | null;
}

/** Where to look, and what was found before. */
interface Place {
  readonly address: string;
  readonly found: readonly Finding[];
}

/** Something to look at. */
export interface Check {
  readonly name: string;
  /** What to do when it fails. */
  readonly advice: string;
  /** A sentence on what is well; undefined when an earlier failure leaves nothing to look at. Throws what is wrong. */
  look(context: Context, place: Place): Promise<string | undefined>;
}

const READY_MS = 10_000;
const MAX_SKEW_SECONDS = 60;
/** What this command line calls, of the service's own list. */
const NEEDED_FEATURES = ["agent_tasks", "approvals", "chats", "files"];

export const checks: readonly Check[] = [
  {
    name: "service",
    advice: "Check the address (--url, WORKSPACE_URL), and that the service runs: `npm start` in its folder.",
    async look(context, { address }) {
      const begun = performance.now();
      const answer: unknown = await visitor(context, address)
        .request("GET", "/ready", { timeoutMs: READY_MS })
        .catch((error: unknown) => {
          const { exitCode, code, detail, advice } = failureOf(error);
          throw new CommandError(exitCode, code, `${address} is not well: ${detail}`, advice);
        });
      if (!isObject(answer)) {
        throw new CommandError(EXIT.unreachable, "unreachable", `At ${address} is something else`);
      }
      return `${address} answers in ${Math.round(performance.now() - begun)} ms`;
    },
  },
  {
    name: "version",
    advice: "Update the service, or use the command line of its version.",
    async look(context, { address, found }) {
      if (hasFailed(found, "service")) return undefined;
      const { build_sha, features } = await visitor(context, address).request("GET", "/api/version");
      const missing = NEEDED_FEATURES.filter((each) => !features.includes(each));
      if (missing.length > 0) throw new Error(`The service lacks ${missing.join(", ")}`);
      return `workspace ${manifest.version}, service ${build_sha}, Node ${process.versions.node}`;
    },
  },
  {
    name: "session",
    advice: "Sign in: `workspace login`.",
    async look(context, { found }) {
      if (hasFailed(found, "service")) return undefined;
      const { workspace, caller } = await openService(context);
      if (caller === "key") return keyOf(workspace);
      const { username } = await workspace.request("GET", "/api/users/me");
      return `signed in as ${username}`;
    },
  },
  {
    name: "clock",
    advice: "Set this machine's clock: sign-ins and signatures depend on it.",
    async look(context, { address, found }) {
      if (hasFailed(found, "service")) return undefined;
      const response = await visitor(context, address).response("GET", "/health");
      await response.body?.cancel();
      const date = Date.parse(response.headers.get("date") ?? "");
      if (Number.isNaN(date)) return undefined;
      const skew = Math.round((Date.now() - date) / 1000);
      if (Math.abs(skew) > MAX_SKEW_SECONDS) {
        throw new Error(
          `This machine's clock is ${Math.abs(skew)} s ${skew > 0 ? "ahead of" : "behind"} the service's`,
        );
      }
      return "agrees with the service's";
    },
  },
  {
    name: "socket",
    advice: "Something between lets no WebSocket through: `chat` and `shell` need one, `run` does not.",
    async look(context, { address, found }) {
      if (hasFailed(found, "service")) return undefined;
      await probeSocket(`${address}/api/tasks/ws`);
      return "WebSockets come through";
    },
  },
  {
    name: "model",
    advice:
      "Set a model's key: in the service's environment, or with `workspace api POST /api/secrets/api-keys`.",
    async look(context, { found }) {
      if (hasFailed(found, "service") || hasFailed(found, "session")) return undefined;
      const { workspace, caller } = await openService(context);
      if (caller === "key") return undefined;
      const { models, default: first } = await workspace.request("GET", "/api/marketplace/models");
      const name = first ?? models[0]?.id;
      if (name === undefined) throw new Error("The service has no model");
      return `${name}, ${models.length} to choose from`;
    },
  },
];

/** The key of the caller. Throws for one that is not valid. */
async function keyOf(workspace: Workspace): Promise<string> {
  try {
    const { key_id, expires_at } = await workspace.request("GET", "/api/desktop/session/ping");
    return `API key ${key_id}${expires_at === null ? "" : `, until ${expires_at}`}`;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const advice = "Make another key with `workspace keys create`, or sign in without WORKSPACE_API_KEY.";
    throw new CommandError(EXIT.notSignedIn, error.code, error.detail, advice);
  }
}

function hasFailed(found: readonly Finding[], check: string): boolean {
  return found.some((each) => each.check === check && each.state === "failed");
}

/** A client without credentials. */
function visitor({ fetch }: Context, address: string): Workspace {
  return new Workspace({ baseUrl: address, fetch, maxRetries: 0 });
}
