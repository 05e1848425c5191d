/** What a `KeyboardEvent` says of a key. */
interface Key {
  readonly key: string;
  readonly keyCode: number;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

/**
 * Whether a key sends the message. Never while an input method composes: its Enter takes a candidate. Safari tells of that key
 * only after the composition, with the code 229.
 */
export function isSending(key: Key, sends: boolean): boolean {
  if (key.key !== "Enter" || key.isComposing || key.keyCode === 229 || key.altKey) return false;
  return key.ctrlKey || key.metaKey || key.shiftKey !== sends;
}
