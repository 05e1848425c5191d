import { z } from "zod";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { socket } from "#src/http/socket.ts";
import { TerminalClientFrame, TerminalServerFrame } from "#src/wire/sockets.ts";
import { parse } from "./query.ts";

/** Columns or rows of a screen. */
const size = (fallback: number) => z.coerce.number().int().min(1).max(1_000).default(fallback);

const Query = z.object({
  /** Where to open the terminal: `ctr:<container id>`, `ephemeral` or `environment`. */
  target: z.string().max(100).optional(),
  /** The session of a lost socket to resume, and the byte of its output up to which the client has it. */
  session: z.string().max(100).optional(),
  position: z.coerce.number().int().nonnegative().optional(),
  cols: size(80),
  rows: size(24),
});

/** An interactive terminal in a project. */
export const terminalSocket = socket({
  path: "/api/terminal/:project/connect",
  summary: "Open a terminal",
  description: "An interactive terminal in a project. Resumed with `session` and `position`.",
  frames: { client: TerminalClientFrame, server: TerminalServerFrame },
  async open({ services, caller, standing, params, query }) {
    const { id } = await requireProject(services, caller, params["project"] ?? "", "terminal.access");
    const { target = null, session = null, position = null, cols: columns, rows } = parse(Query, query);
    const wish = { target, session, position, columns, rows };
    return services.sockets.open(id, { kind: "terminal", userId: caller.userId, standing, wish });
  },
});
