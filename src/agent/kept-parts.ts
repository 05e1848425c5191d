import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { KeptPart } from "#src/models/kept-part.ts";
import type { ImagePart } from "#src/models/model.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

/** A larger part is not kept: the task log holds it in one row. The thinking of 32,000 tokens takes about half of that. */
const SEALED_CHARS = 1_000_000;

/** A turn as the transcript takes it: with what its model gets back of it, and the pictures of its calls. */
export interface PastTurn extends Turn {
  part?: KeptPart | undefined;
  /** What its calls have shown, by the call's id; undefined for a picture that is no longer there. */
  pictures?: ReadonlyMap<string, ImagePart | undefined>;
}

/**
 * A part as it is stored. The model may have thought of secrets, and no character of it can be changed: so it is encrypted. Null for
 * one that is too large.
 */
export async function sealPart(secrets: Pick<Secrets, "encrypt">, part: KeptPart): Promise<string | null> {
  const sealed = await secrets.encrypt(JSON.stringify(part));
  return sealed.length > SEALED_CHARS ? null : sealed;
}

/** A stored turn with its part; without, where it has none or the key has changed since. */
export async function withPart(secrets: Pick<Secrets, "decrypt">, turn: Turn): Promise<PastTurn> {
  if (!turn.kept) return turn;
  const text = await secrets.decrypt(turn.kept).catch(() => undefined);
  return { ...turn, part: text === undefined ? undefined : safeParseJson(text, KeptPart)?.value };
}
