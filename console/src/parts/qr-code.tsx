import { useEffect, useState } from "preact/hooks";

/** A text as a QR code, dark on light in both themes, as readers need it. What draws it is loaded on first use. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [squares, setSquares] = useState<readonly (readonly boolean[])[]>([]);
  useEffect(() => {
    let isGone = false;
    void import("qr").then(({ encodeQR }) => isGone || setSquares(encodeQR(text, "raw")));
    return () => void (isGone = true);
  }, [text]);
  const path = squares
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`0 0 ${squares.length} ${squares.length}`}>
      <path d={path} />
    </svg>
  );
}
