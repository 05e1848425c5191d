import type http from "node:http";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { BotError } from "./bot-error.ts";
import type { BotApiParts } from "./bot-routes.ts";
import { Fault } from "./faults.ts";
import type { Bot } from "./message.ts";
import { readBody } from "./parameters.ts";
import {
  addGroup,
  addPerson,
  chatOf,
  editText,
  press,
  say,
  seatOf,
  sendFile,
  setMembership,
} from "./people.ts";

/** A request to the JSON endpoints of the page, which tests use as well. */
interface Asked {
  /** Numbers and names of the path, in their order. */
  path: readonly string[];
  query: URLSearchParams;
  contentType: string;
  body: Uint8Array<ArrayBuffer>;
}

interface Route {
  method: "GET" | "POST";
  path: RegExp;
  run(parts: BotApiParts, asked: Asked): unknown;
}

const From = z.object({ from: z.int() });
const Text = From.extend({
  text: z.string().min(1).max(4_096),
  replyTo: z.int().optional(),
  topic: z.int().min(2).optional(),
});

const CHAT = String.raw`/bots/(\d+)/chats/(-?\d+)`;

const ROUTES: readonly Route[] = [
  { method: "GET", path: at("/people"), run: ({ state }) => state.store.people() },
  {
    method: "POST",
    path: at("/people"),
    run: ({ state }, asked) =>
      addPerson(state, json(asked, z.object({ name: z.string().min(1).max(64) })).name),
  },
  { method: "GET", path: at("/groups"), run: ({ state }) => state.store.groups() },
  {
    method: "POST",
    path: at("/groups"),
    run({ state }, asked) {
      const Input = z.object({ title: z.string().min(1).max(128), members: z.array(z.int()) });
      const { title, members } = json(asked, Input);
      return addGroup(state, title, members);
    },
  },
  {
    method: "GET",
    path: at("/bots"),
    run: (parts) => parts.state.store.bots().map((bot) => showBot(parts, bot)),
  },
  {
    method: "GET",
    path: at(String.raw`/bots/(\d+)/chats`),
    run: ({ state }, { path: [bot] }) => state.store.chats(Number(bot)),
  },
  { method: "GET", path: at(CHAT), run: showChat },
  {
    method: "POST",
    path: at(`${CHAT}/messages`),
    run({ state }, asked) {
      const { from, text, replyTo, topic } = json(asked, Text);
      return say(state, seatOf(state, ...ids(asked), from), text, { replyTo, topic });
    },
  },
  { method: "POST", path: at(`${CHAT}/files`), run: receiveFile },
  {
    method: "POST",
    path: at(String.raw`${CHAT}/messages/(\d+)/edits`),
    run({ state }, asked) {
      const { from, text } = json(asked, Text);
      editText(state, seatOf(state, ...ids(asked), from), Number(asked.path[2]), text);
      return {};
    },
  },
  {
    method: "POST",
    path: at(String.raw`${CHAT}/messages/(\d+)/presses`),
    run({ state }, asked) {
      const { from, data } = json(asked, From.extend({ data: z.string() }));
      return { id: press(state, seatOf(state, ...ids(asked), from), Number(asked.path[2]), data) };
    },
  },
  {
    method: "POST",
    path: at(`${CHAT}/membership`),
    run({ state }, asked) {
      const { from, isMember } = json(asked, From.extend({ isMember: z.boolean() }));
      setMembership(state, seatOf(state, ...ids(asked), from), isMember);
      return {};
    },
  },
  {
    method: "POST",
    path: at(String.raw`/bots/(\d+)/faults`),
    run({ faults }, asked) {
      faults.set(Number(asked.path[0]), json(asked, z.object({ faults: z.array(Fault) })).faults);
      return {};
    },
  },
  {
    method: "GET",
    path: at(String.raw`/bots/(\d+)/calls`),
    run: ({ calls }, { path: [bot] }) => calls.get(Number(bot)) ?? [],
  },
];

/** Serves the JSON endpoints of people; returns false for other addresses. */
export async function servePeople(
  parts: BotApiParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  const route = ROUTES.find(({ method, path }) => method === request.method && path.test(url.pathname));
  if (!route) return false;
  const { status, body } = await answer(route, parts, request, url);
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
  return true;
}

async function answer(
  route: Route,
  parts: BotApiParts,
  request: http.IncomingMessage,
  url: URL,
): Promise<{ status: number; body: unknown }> {
  try {
    const result = route.run(parts, {
      path: route.path.exec(url.pathname)?.slice(1) ?? [],
      query: url.searchParams,
      contentType: request.headers["content-type"] ?? "",
      body: await readBody(request),
    });
    return { status: 200, body: result };
  } catch (error) {
    if (error instanceof AppError) return { status: error.status, body: { detail: error.message } };
    if (error instanceof BotError) return { status: error.code, body: { detail: error.message } };
    throw error;
  }
}

function showBot({ state, updates, webhooks }: BotApiParts, bot: Bot): object {
  const receives = updates.isPolled(bot) ? "polling" : "nothing";
  return {
    id: bot.id,
    username: bot.username,
    receives: bot.webhook ? "webhook" : receives,
    pendingUpdates: state.store.pendingUpdates(bot),
    lastFailure: webhooks.lastFailure(bot)?.why ?? null,
    commands: bot.commands,
  };
}

function showChat({ state }: BotApiParts, asked: Asked): object {
  const { bot, chat } = chatOf(state, ...ids(asked));
  return {
    ...chat,
    isTyping: state.isTyping(bot, chat.api.id),
    messages: state.store.messages(bot, chat.api.id),
    clicks: state.store.clicks(bot, chat.api.id),
  };
}

const FileQuery = z.object({
  from: z.coerce.number().int(),
  kind: z.enum(["photo", "voice", "document"]),
  filename: z.string().min(1).max(200).default("file"),
  caption: z.string().max(1_024).default(""),
  replyTo: z.coerce.number().int().optional(),
  topic: z.coerce.number().int().optional(),
});

function receiveFile({ state }: BotApiParts, asked: Asked): unknown {
  const query = FileQuery.safeParse(Object.fromEntries(asked.query));
  if (!query.success)
    throw new AppError("invalid_input", "from, kind, filename and caption go into the query");
  const { from, kind, filename, caption, replyTo, topic } = query.data;
  const upload = { name: filename, mimeType: asked.contentType, bytes: asked.body };
  return sendFile(state, seatOf(state, ...ids(asked), from), { kind, upload, caption }, { replyTo, topic });
}

function at(path: string): RegExp {
  return new RegExp(`^${path}$`, "u");
}

function ids({ path: [bot, chat] }: Asked): [botId: number, chatId: number] {
  return [Number(bot), Number(chat)];
}

/** Only JSON that says that it is: forms of other pages cannot say so. */
function json<T>({ contentType, body }: Asked, schema: z.ZodType<T>): T {
  if (!contentType.startsWith("application/json"))
    throw new AppError("invalid_input", "The body must be JSON");
  return parseJson(new TextDecoder().decode(body), schema);
}
