import { AppError } from "#src/lib/errors.ts";
import {
  IMAGE_BASE64_CHARS,
  IMAGE_MIME_TYPES,
  type AnswerFormat,
  type AnswerOptions,
  type ImageDetail,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
} from "#src/models/model.ts";
import { pictureTypeOf } from "#src/models/picture.ts";
import { UNSERVED, type CompletionBody, type Message, type Part } from "./wire.ts";

/**
 * Converts a request of an OpenAI client to the service's own form. The leading system messages become one prompt;
 * later ones keep their places. Throws `invalid_input` for content that cannot be passed on.
 */
export function toRequest(body: CompletionBody): ModelRequest {
  const unserved = UNSERVED.find((name) => asksForSomething(body[name]));
  if (unserved) throw new AppError("invalid_input", `${unserved}: is not supported here, leave it out`);
  const begin = body.messages.findIndex((message) => !isSystem(message));
  const [first, later] =
    begin === -1 ? [body.messages, []] : [body.messages.slice(0, begin), body.messages.slice(begin)];
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  const names = new Map(
    body.messages.flatMap(({ tool_calls }) =>
      (tool_calls ?? []).map((call) => [call.id, call.function.name]),
    ),
  );
  return {
    system: first.map((message) => textOf(message)).join("\n\n"),
    messages: later.map((each) => toMessage(each, names)),
    tools: (body.tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
      name,
      description: description ?? "",
      parameters: parameters ?? { type: "object", properties: {} },
      ...(typeof strict === "boolean" && { strict }),
    })),
    ...(typeof maxOutputTokens === "number" && { maxOutputTokens }),
    options: toOptions(body),
  };
}

/** Whether a value requests anything: clients also send defaults. */
function asksForSomething(value: unknown): boolean {
  const nothing: readonly unknown[] = [undefined, null, false, 0, "none", "auto"];
  return !nothing.includes(value) && !["[]", '["text"]'].includes(JSON.stringify(value));
}

const isSystem = ({ role }: Message) => role === "system" || role === "developer";

function toMessage(message: Message, names: ReadonlyMap<string, string>): ModelMessage {
  const { role, content, tool_call_id: callId, name } = message;
  if (isSystem(message)) return { role: "system", content: textOf(message) };
  if (role === "assistant") {
    const toolCalls = (message.tool_calls ?? []).map(({ id, function: call }) => ({ id, ...call }));
    return { role, content: textOf(message), toolCalls };
  }
  if (role === "tool") {
    if (!callId) throw new AppError("invalid_input", "A message of the role tool needs a tool_call_id");
    return { role, callId, name: names.get(callId) ?? "", content: textOf(message), isError: false };
  }
  const said = Array.isArray(content) ? content.map(toPart) : (content ?? "");
  return { role: "user", content: said, ...(name && { name }) };
}

/** The text of a message that may contain only text. */
function textOf({ role, content }: Message): string {
  if (!Array.isArray(content)) return content ?? "";
  return content
    .map(({ type, text, refusal }) => {
      if (type === "text" && text !== undefined) return text;
      if (type === "refusal" && refusal !== undefined) return refusal;
      throw new AppError(
        "invalid_input",
        `Messages of the role ${role} hold text only, not ${JSON.stringify(type)}`,
      );
    })
    .join("");
}

function toPart({ type, text, image_url: image }: Part): ModelPart {
  if (type === "text" && text !== undefined) return { type: "text", text };
  if (type === "image_url" && image !== undefined) {
    return typeof image === "string" ? toImage(image) : toImage(image.url, image.detail);
  }
  throw new AppError("invalid_input", `Content of the type ${JSON.stringify(type)} cannot be passed on`);
}

function toImage(url: string, wish?: ImageDetail | null): ModelPart {
  const detail = wish && { detail: wish };
  if (/^https?:\/\//iu.test(url)) return { type: "image_url", url, ...detail };
  const comma = url.indexOf(",");
  const base64 = url.slice(comma + 1);
  const isBase64 = /^data:image\/[\w.+-]+;base64$/iu.test(url.slice(0, comma));
  const mimeType = isBase64 ? pictureTypeOf(Buffer.from(base64.slice(0, 64), "base64")) : undefined;
  if (!mimeType) {
    throw new AppError(
      "invalid_input",
      `Pictures must be http(s):// URLs, or base64 data: URLs of ${IMAGE_MIME_TYPES.join(", ")}`,
    );
  }
  if (base64.length > IMAGE_BASE64_CHARS) throw new AppError("invalid_input", "A picture is too large");
  return { type: "image", mimeType, base64, ...detail };
}

function toOptions(body: CompletionBody): AnswerOptions {
  const { temperature, top_p, seed, frequency_penalty, presence_penalty, parallel_tool_calls } = body;
  const { stop, tool_choice: choice } = body;
  const format = toFormat(body.response_format);
  const { logit_bias, reasoning_effort, verbosity } = body;
  const openAi = {
    ...(logit_bias && Object.keys(logit_bias).length > 0 && { logit_bias }),
    ...(reasoning_effort && { reasoning_effort }),
    ...(verbosity && { verbosity }),
  };
  return {
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof top_p === "number" && { topP: top_p }),
    ...(typeof seed === "number" && { seed }),
    ...(typeof frequency_penalty === "number" && { frequencyPenalty: frequency_penalty }),
    ...(typeof presence_penalty === "number" && { presencePenalty: presence_penalty }),
    ...(typeof parallel_tool_calls === "boolean" && { parallelToolCalls: parallel_tool_calls }),
    ...(stop && { stop: typeof stop === "string" ? [stop] : stop }),
    ...(choice && { toolChoice: typeof choice === "string" ? choice : { name: choice.function.name } }),
    ...(format && { format }),
    ...(Object.keys(openAi).length > 0 && { openAi }),
  };
}

function toFormat(format: CompletionBody["response_format"]): AnswerFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return format;
  const { name, description, schema, strict } = format.json_schema;
  return {
    type: "json_schema",
    name,
    schema,
    ...(typeof description === "string" && { description }),
    ...(typeof strict === "boolean" && { strict }),
  };
}
