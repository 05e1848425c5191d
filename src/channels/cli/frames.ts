import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { receivedText, wireId } from "../received.ts";

const AnyObject = z.looseObject({});

const Message = z.union([
  z.looseObject({ type: z.literal("message").optional(), text: z.string() }).transform(({ text }) => text),
  z
    .looseObject({ type: z.literal("message").optional(), message: z.string() })
    .transform(({ message }) => message),
]);

const Identified = z.looseObject({ client_id: wireId.max(200).optional() });

const Click = z.looseObject({
  type: z.literal("approval"),
  data: z.string().min(1).max(64),
  message_id: wireId.optional(),
});

const Ping = z.looseObject({ type: z.literal("ping") });

/** The text of a frame that a command-line client sent: JSON, or the text itself. Empty for other JSON objects. */
export function parseFrame(data: string): string {
  const isObject = safeParseJson(data, AnyObject) !== undefined;
  return receivedText(isObject ? safeParseJson(data, Message)?.value : data);
}

/** What a command-line client says. `clientId` is the client's own id of the frame, the same when it sends it again. */
export type ClientFrame =
  | { kind: "message"; clientId: string | undefined; text: string }
  | { kind: "click"; clientId: string | undefined; data: string; messageId: string | undefined }
  | { kind: "ping"; clientId: undefined };

/** Reads a frame of a command-line client. Throws `invalid_input` with a sentence for the client. */
export function readFrame(data: string): ClientFrame {
  if (safeParseJson(data, Ping)) return { kind: "ping", clientId: undefined };
  const isObject = safeParseJson(data, AnyObject) !== undefined;
  const identified = isObject ? safeParseJson(data, Identified)?.value : {};
  if (!identified) throw new AppError("invalid_input", "client_id: a text of 1 to 200 characters");
  const clientId = identified.client_id;
  const click = safeParseJson(data, Click)?.value;
  if (click) return { kind: "click", clientId, data: click.data, messageId: click.message_id };
  const text = parseFrame(data);
  if (text !== "") return { kind: "message", clientId, text };
  throw new AppError(
    "invalid_input",
    'Not a frame of the command line: {"type":"message","text"}, {"type":"approval","data"} or plain text',
  );
}
