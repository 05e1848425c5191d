import type { Answer, MadeCall } from "../platform-server.ts";
import type { DiscordMessage, DiscordState, SentFile } from "./state.ts";

const MAX_CONTENT = 2_000;
const MAX_NONCE = 25;

/** What calls need. */
export interface RestContext {
  state: DiscordState;
  /** Address of the mock, without a path. */
  origin: () => string;
  /** What GET /gateway/bot returns. */
  gateway: () => unknown;
  publicKey: string;
}

/** A message as the bot sends it. */
export interface MessageBody {
  content?: string;
  components?: DiscordMessage["components"];
  flags?: number;
  nonce?: string;
  enforce_nonce?: boolean;
  message_reference?: { message_id: string; fail_if_not_exists?: boolean };
  allowed_mentions?: { parse?: string[]; users?: string[] };
}

/** Codes of errors: with the status and the text that Discord gives them. */
const ERRORS: Readonly<Record<number, readonly [number, string]>> = {
  0: [404, "404: Not Found"],
  10_003: [404, "Unknown Channel"],
  10_008: [404, "Unknown Message"],
  10_014: [400, "Unknown Emoji"],
  10_015: [404, "Unknown Webhook"],
  10_062: [404, "Unknown interaction"],
  40_005: [413, "Request entity too large"],
  40_060: [400, "Interaction has already been acknowledged."],
  40_333: [403, "internal network error"],
  50_001: [403, "Missing Access"],
  50_005: [403, "Cannot edit a message authored by another user"],
  50_006: [400, "Cannot send an empty message"],
  50_007: [403, "Cannot send messages to this user"],
  50_013: [403, "Missing Permissions"],
  50_027: [401, "Invalid Webhook Token"],
  50_033: [400, "Invalid Recipient(s)"],
  50_035: [400, "Invalid Form Body"],
  50_083: [400, "Thread is archived"],
  160_005: [403, "Thread is locked"],
};

/** An error of Discord's by its code. */
export function errorAnswer(code: number, detail?: string): Answer {
  const [status, message] = ERRORS[code] ?? [400, `Error ${code}`];
  return { status, json: { message: detail === undefined ? message : `${message}: ${detail}`, code } };
}

/** The message of a call, as JSON or as a form with files. */
export function readMessage({ headers, body }: MadeCall): { body: MessageBody; files: SentFile[] } {
  const type = headers["content-type"] ?? "";
  const boundary = /boundary="?([^";]+)"?/u.exec(type)?.[1];
  if (boundary === undefined) return { body: JSON.parse(body.toString()), files: [] };
  const parts = partsOf(body, boundary);
  const payload = parts.find(({ name }) => name === "payload_json")?.bytes.toString() ?? "{}";
  const files = parts.flatMap(({ name, filename, mimeType, bytes }) =>
    name.startsWith("files[") && filename !== undefined ? [{ filename, mimeType, bytes }] : [],
  );
  return { body: JSON.parse(payload), files };
}

interface Part {
  name: string;
  filename: string | undefined;
  mimeType: string;
  bytes: Buffer;
}

function partsOf(body: Buffer, boundary: string): Part[] {
  const parts: Part[] = [];
  const mark = Buffer.from(`--${boundary}`);
  let at = body.indexOf(mark);
  for (let next = body.indexOf(mark, at + 1); next !== -1; next = body.indexOf(mark, at + 1)) {
    const part = body.subarray(at + mark.length + 2, next - 2);
    const end = part.indexOf("\r\n\r\n");
    const head = part.subarray(0, end).toString();
    parts.push({
      name: /[; ]name="([^"]*)"/u.exec(head)?.[1] ?? "",
      filename: /filename="([^"]*)"/u.exec(head)?.[1],
      mimeType: /content-type: *([^\r\n]+)/iu.exec(head)?.[1] ?? "application/octet-stream",
      bytes: Buffer.from(part.subarray(end + 4)),
    });
    at = next;
  }
  return parts;
}

/** What Discord says against a message; undefined for a good one. */
export function contentFault(body: MessageBody, files: readonly SentFile[]): Answer | undefined {
  const { content = "", components = [], nonce = "" } = body;
  if (content.trim() === "" && files.length === 0) return errorAnswer(50_006);
  if (Array.from(content).length > MAX_CONTENT)
    return errorAnswer(50_035, "content: Must be 2000 or fewer in length.");
  if (nonce.length > MAX_NONCE) return errorAnswer(50_035, "nonce: Must be 25 or fewer in length.");
  const buttons = components.flatMap((row) => row.components);
  const ids = new Set(buttons.map(({ custom_id: id }) => id));
  const isGood =
    components.length <= 5 &&
    components.every((row) => row.components.length > 0 && row.components.length <= 5) &&
    buttons.every((one) => one.label.length <= 80 && one.custom_id.length <= 100) &&
    ids.size === buttons.length;
  return isGood ? undefined : errorAnswer(50_035, "components");
}

/** What a text notifies: without `allowed_mentions` everything in it. */
export function pingsOf({ content = "", allowed_mentions: allowed }: MessageBody): string[] {
  const everyone = /@(?:everyone|here)/u.test(content) ? ["everyone"] : [];
  const people = [...content.matchAll(/<@!?(\d+)>/gu)].map(([, id = ""]) => id);
  const isAllowed = (kind: string) => allowed === undefined || allowed.parse?.includes(kind) === true;
  return [
    ...(isAllowed("everyone") ? everyone : []),
    ...people.filter((id) => isAllowed("users") || allowed?.users?.includes(id) === true),
  ];
}

/** An edit: what it does not name stays. */
export function change({ state, origin }: RestContext, message: DiscordMessage, body: MessageBody): Answer {
  const content = body.content ?? message.content;
  const fault = contentFault({ ...body, content }, message.files);
  if (fault !== undefined) return fault;
  message.content = content;
  message.components = body.components ?? message.components;
  message.pings.push(...pingsOf({ ...body, content }));
  message.edits += 1;
  return { json: state.wireMessage(message, origin()) };
}
