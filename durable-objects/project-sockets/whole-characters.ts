/**
 * Returns how many of these bytes are whole UTF-8 characters: the remaining bytes, three at most, begin a character
 * whose end has not arrived yet. Bytes that are not UTF-8 count as whole.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    // A continuation byte: the first byte of the character is before it.
    if (byte < 0xc0) continue;
    return lengthOf(byte) > back ? end - back : end;
  }
  return end;
}

/** Length of the character that a byte begins. Source: RFC 3629, section 3. */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
