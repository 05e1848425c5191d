import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { KeptPart } from "./kept-part.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";

type Owner = Pick<KeptPart, "provider" | "model">;

/** Returns the request with only those kept parts that belong to the requested model. */
export function withOwnParts(request: ModelRequest, owner: Owner): ModelRequest {
  return {
    ...request,
    messages: request.messages.map((message) => (hasPartOf(message, owner) ? message : withoutPart(message))),
  };
}

/**
 * Same as `withOwnParts` for a provider that refuses a part after a changed conversation: such parts are left out as
 * well. `prefix` is the fingerprint for the answer's part.
 */
export function withBoundParts(
  request: ModelRequest,
  owner: Owner,
): { request: ModelRequest; prefix: string } {
  const said = sha256.create().update(utf8ToBytes(JSON.stringify([request.system, request.tools])));
  const prefix = () => bytesToHex(said.clone().digest());
  const messages = request.messages.map((message) => {
    const isOwn = hasPartOf(message, owner) && message.kept?.prefix === prefix();
    const sent = isOwn ? message : withoutPart(message);
    said.update(utf8ToBytes(JSON.stringify(sent)));
    return sent;
  });
  return { request: { ...request, messages }, prefix: prefix() };
}

type Answer = Extract<ModelMessage, { role: "assistant" }>;

function hasPartOf(message: ModelMessage, { provider, model }: Owner): message is Answer {
  return message.role === "assistant" && message.kept?.provider === provider && message.kept.model === model;
}

function withoutPart(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || message.kept === undefined) return message;
  const { kept: _, ...rest } = message;
  return rest;
}
