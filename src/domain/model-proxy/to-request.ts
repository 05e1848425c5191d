import { AppError } from "#src/lib/errors.ts";
import {
  IMAGE_BASE64_CHARS,
  IMAGE_MIME_TYPES,
  type AnswerFormat,
  type AnswerOptions,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
} from "#src/models/model.ts";
import type { CompletionBody, Message, Part } from "./wire.ts";

/**
 * What a client of OpenAI's API asks for, as models here are asked. System messages become one prompt, wherever they stand.
 * Throws `invalid_input` for content that there is no way to pass on.
 */
export function toRequest(body: CompletionBody): ModelRequest {
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  const names = new Map(
    body.messages.flatMap(({ tool_calls }) =>
      (tool_calls ?? []).map((call) => [call.id, call.function.name]),
    ),
  );
  return {
    system: body.messages
      .filter(isSystem)
      .map((message) => textOf(message))
      .join("\n\n"),
    messages: body.messages.filter((message) => !isSystem(message)).map((each) => toMessage(each, names)),
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

const isSystem = ({ role }: Message) => role === "system" || role === "developer";

function toMessage(message: Message, names: ReadonlyMap<string, string>): ModelMessage {
  const { role, content, tool_call_id: callId } = message;
  if (role === "assistant") {
    const toolCalls = (message.tool_calls ?? []).map(({ id, function: call }) => ({ id, ...call }));
    return { role, content: textOf(message), toolCalls };
  }
  if (role === "tool") {
    if (!callId) throw new AppError("invalid_input", "A message of the role tool needs a tool_call_id");
    return { role, callId, name: names.get(callId) ?? "", content: textOf(message), isError: false };
  }
  return { role: "user", content: Array.isArray(content) ? content.map(toPart) : (content ?? "") };
}

/** The text of content that holds nothing else. */
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
    return toImage(typeof image === "string" ? image : image.url);
  }
  throw new AppError("invalid_input", `Content of the type ${JSON.stringify(type)} cannot be passed on`);
}

function toImage(url: string): ModelPart {
  if (/^https?:\/\//iu.test(url)) return { type: "image_url", url };
  const comma = url.indexOf(",");
  const mimeType = IMAGE_MIME_TYPES.find(
    (each) => url.slice(0, comma).toLowerCase() === `data:${each};base64`,
  );
  if (!mimeType) {
    throw new AppError(
      "invalid_input",
      `Pictures are passed on as http(s):// addresses, or as data: addresses in base64 of ${IMAGE_MIME_TYPES.join(", ")}`,
    );
  }
  const base64 = url.slice(comma + 1);
  if (base64.length > IMAGE_BASE64_CHARS) throw new AppError("invalid_input", "A picture is too large");
  return { type: "image", mimeType, base64 };
}

function toOptions(body: CompletionBody): AnswerOptions {
  const { temperature, top_p, seed, frequency_penalty, presence_penalty, parallel_tool_calls } = body;
  const { stop, tool_choice: choice } = body;
  const format = toFormat(body.response_format);
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
