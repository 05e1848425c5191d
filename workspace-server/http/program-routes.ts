import { Readable } from "node:stream";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import {
  CommandRequest,
  LimitNotice,
  NOT_READ_ONLY,
  OUTPUT_HEADER,
  PipeRequest,
  ProcessRequest,
  READ_ONLY_COMMANDS,
  ShellInput,
  ShellRequest,
  WindowSize,
} from "#src/platform/runtime/http-runtime/protocol.ts";
import type { Workspace } from "../workspace.ts";
import { countOf, param, readJson, Streamed, type Route } from "./exchange.ts";

const GitRequest = z.object({ input: z.json() });
const STOPPED = "The project was stopped";

export function programRoutes(workspace: Workspace): Route[] {
  const { files, commands, shells, processes, pipes, git } = workspace;
  return [
    {
      method: "GET",
      path: "/health",
      handle: () => ({ busy: workspace.isBusy, ending: workspace.isEnding }),
    },
    {
      method: "POST",
      path: "/limits",
      handle: async (exchange) => {
        const { mark, message } = await readJson(exchange, LimitNotice);
        workspace.programs.overLimit(mark, message);
      },
    },
    {
      method: "POST",
      path: "/stop",
      handle: ({ query }) => workspace.stopAll(query.get("reason") ?? STOPPED),
    },
    {
      method: "POST",
      path: "/git/:name",
      handle: async (exchange) => {
        const { input } = await readJson(exchange, GitRequest);
        return linesOf(git.run(param(exchange, "name"), input, exchange.gone));
      },
    },

    // ── Commands

    {
      method: "POST",
      path: "/commands",
      handle: async (exchange) => {
        const { id, cwd, ...spec } = await readJson(exchange, CommandRequest);
        if (exchange.gone.aborted) return undefined;
        const { result } = await commands.start(id, { ...spec, cwd: files.directory(cwd) });
        exchange.gone.addEventListener("abort", () => commands.cancel(id), { once: true });
        if (exchange.gone.aborted) commands.cancel(id);
        return result;
      },
    },
    {
      method: "DELETE",
      path: "/commands/:id",
      handle: (exchange) => {
        if (!commands.cancel(param(exchange, "id"))) throw new AppError("not_found", "No such command");
      },
    },

    {
      method: "POST",
      path: READ_ONLY_COMMANDS,
      handle: () => {
        throw new AppError("forbidden", NOT_READ_ONLY);
      },
    },

    // ── Shells

    {
      method: "PUT",
      path: "/shells/:id",
      handle: async (exchange) => {
        const { cwd, ...spec } = await readJson(exchange, ShellRequest);
        await shells.open(param(exchange, "id"), { ...spec, cwd: files.directory(cwd) });
      },
    },
    {
      method: "POST",
      path: "/shells/:id/input",
      handle: async (exchange) => {
        const { data } = await readJson(exchange, ShellInput);
        shells.get(param(exchange, "id")).write(data);
      },
    },
    {
      method: "GET",
      path: "/shells/:id/output",
      handle: (exchange) => {
        const { data, ...head } = shells.get(param(exchange, "id")).read(countOf(exchange, "position"));
        return new Streamed(Readable.from(data.byteLength === 0 ? [] : [data]), {
          size: data.byteLength,
          headers: { [OUTPUT_HEADER]: JSON.stringify(head) },
        });
      },
    },
    {
      method: "GET",
      path: "/shells/:id/stream",
      handle: (exchange) => {
        const { output } = shells.get(param(exchange, "id"));
        return streamed(output.watch(countOf(exchange, "position"), exchange.gone));
      },
    },
    {
      method: "PUT",
      path: "/shells/:id/size",
      handle: async (exchange) => {
        const { columns, rows } = await readJson(exchange, WindowSize);
        await shells.get(param(exchange, "id")).resize(columns, rows);
      },
    },
    {
      method: "DELETE",
      path: "/shells/:id",
      handle: (exchange) => shells.close(param(exchange, "id")),
    },

    // ── Pipes

    {
      method: "POST",
      path: "/pipes/:id",
      handle: async (exchange) => {
        const { cwd, ...spec } = await readJson(exchange, PipeRequest);
        const started = { ...spec, cwd: files.directory(cwd) };
        return streamed(await pipes.open(param(exchange, "id"), started, exchange.gone));
      },
    },
    {
      method: "POST",
      path: "/pipes/:id/input",
      handle: async (exchange) => {
        const { data } = await readJson(exchange, ShellInput);
        pipes.write(param(exchange, "id"), data);
      },
    },

    // ── Processes

    {
      method: "GET",
      path: "/processes",
      handle: () => ({ processes: processes.states() }),
    },
    {
      method: "PUT",
      path: "/processes/:name",
      handle: async (exchange) => {
        const { cwd, ...spec } = await readJson(exchange, ProcessRequest);
        await processes.start(param(exchange, "name"), { ...spec, cwd: files.directory(cwd) });
      },
    },
    {
      method: "DELETE",
      path: "/processes/:name",
      handle: (exchange) => processes.stop(param(exchange, "name")),
    },
    {
      method: "GET",
      path: "/processes/:name/listens",
      handle: (exchange) => ({
        listens: processes.listensOn(param(exchange, "name"), countOf(exchange, "port")),
      }),
    },
    {
      method: "GET",
      path: "/processes/:name/log",
      handle: (exchange) => ({
        lines: processes.tail(param(exchange, "name"), countOf(exchange, "lines"), {
          ofLastRun: exchange.query.get("run") === "last",
        }),
      }),
    },
    {
      method: "GET",
      path: "/processes/:name/log/stream",
      handle: (exchange) => {
        const log = processes.log(param(exchange, "name"));
        return streamed(log.watch(countOf(exchange, "lines"), exchange.gone));
      },
    },
  ];
}

function streamed(chunks: AsyncIterable<Uint8Array>): Streamed {
  return new Streamed(Readable.from(chunks, { objectMode: false }));
}

function linesOf(lines: AsyncIterable<string>): Streamed {
  const bytes = async function* () {
    for await (const line of lines) yield Buffer.from(`${line}\n`);
  };
  return streamed(bytes());
}
