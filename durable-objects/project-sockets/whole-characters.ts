/**
 * How many of these bytes are whole UTF-8 characters: what is left, three bytes at most, begins a character whose end has not
 * come yet. Bytes that are no UTF-8 count as whole.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    // A byte that goes on: the one that begins the character is further back.
    if (byte < 0xc0) continue;
    return lengthOf(byte) > back ? end - back : end;
  }
  return end;
}

/** Of the character that a byte begins. Source: RFC 3629, section 3. */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
