import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { KeptPart } from "./kept-part.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";

type Owner = Pick<KeptPart, "provider" | "model">;

/** A request with the parts of the model that is asked, and without all others. */
export function withOwnParts(request: ModelRequest, owner: Owner): ModelRequest {
  return {
    ...request,
    messages: request.messages.map((message) => (hasPartOf(message, owner) ? message : withoutPart(message))),
  };
}

/**
 * The same for a provider that refuses a part before which anything has changed since it was made: such parts are left out as
 * well. `prefix` is the fingerprint for the part of the answer.
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
