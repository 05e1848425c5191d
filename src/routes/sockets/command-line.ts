import { z } from "zod";
import { openCommandLine } from "#src/domain/conversations/command-line/index.ts";
import { clientOf } from "#src/http/client.ts";
import { readCredentials } from "#src/http/credentials.ts";
import { identify, requireUpgrade, type Socket } from "#src/http/socket.ts";
import { AppError } from "#src/lib/errors.ts";
import { CommandLineClientFrame, CommandLineServerFrame } from "#src/wire/command-line.ts";
import { parse } from "./query.ts";

const PATH = "/api/gateway/cli";
const ALIASES = ["/ws/gateway/cli"];

const Query = z.object({
  /** Id or slug of the project that the messages are about; by default the one that the key is for. */
  project_id: z.string().min(1).max(100).optional(),
  /** The last frame that the client has; without it only later ones are sent. */
  last_id: z.coerce.number().int().nonnegative().optional(),
});

/**
 * The command line of the messaging gateway: messages to the agent, and its answers. Clients are programs that can send a
 * header, so a refusal is an HTTP status before the upgrade, and the key never stands in an address.
 */
export const commandLineSocket: Socket = {
  path: PATH,
  aliases: ALIASES,
  summary: "Open the command line",
  description:
    "The command line of the messaging gateway: messages to the agent, and its answers. Clients send an API key in the `Authorization` header. Resumed with `last_id`, or the `Last-Event-ID` header.",
  frames: { client: CommandLineClientFrame, server: CommandLineServerFrame },
  mount(app) {
    app.on("GET", [PATH, ...ALIASES], async (c) => {
      const services = c.get("services");
      const credentials = readCredentials(c.req.raw, c.env);
      if (credentials.kind !== "key") {
        throw new AppError("unauthenticated", "Authorization: Bearer with an API key is required");
      }
      const { caller, standing } = await identify(services, credentials);
      const lastId = c.req.header("last-event-id");
      const query = parse(Query, { ...(lastId !== undefined && { last_id: lastId }), ...c.req.query() });
      requireUpgrade(c.req.raw);
      if (!services.config.GATEWAY_ENABLED) {
        throw new AppError("unavailable", "The messaging gateway is switched off");
      }
      const line = await openCommandLine(services, caller, { project: query.project_id }, clientOf(c));
      return services.terminals.open({ ...line, standing, after: query.last_id ?? null });
    });
  },
};
