import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { KeptPart } from "#src/models/kept-part.ts";
import type { ImagePart } from "#src/models/model.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

/**
 * Largest part that is kept, because the task log holds it in one row. The thinking of 32,000 tokens takes about half
 * of that.
 */
const SEALED_CHARS = 1_000_000;

/** A turn as the transcript uses it: with the part that its model gets back, and the pictures of its calls. */
export interface PastTurn extends Turn {
  part?: KeptPart | undefined;
  /** Pictures that its calls have shown, by call id; undefined for a picture that is gone. */
  pictures?: ReadonlyMap<string, ImagePart | undefined>;
}

/**
 * Encrypts a part for storage: the model may have thought of secrets, and the part cannot be scrubbed because the model
 * needs it unchanged. Returns null for a part that is too large.
 */
export async function sealPart(secrets: Pick<Secrets, "encrypt">, part: KeptPart): Promise<string | null> {
  const sealed = await secrets.encrypt(JSON.stringify(part));
  return sealed.length > SEALED_CHARS ? null : sealed;
}

/** Returns a stored turn with its part, or without it if there is none or the encryption key has changed since. */
export async function withPart(secrets: Pick<Secrets, "decrypt">, turn: Turn): Promise<PastTurn> {
  if (!turn.kept) return turn;
  const text = await secrets.decrypt(turn.kept).catch(() => undefined);
  return { ...turn, part: text === undefined ? undefined : safeParseJson(text, KeptPart)?.value };
}
