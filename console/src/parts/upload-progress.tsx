/** How far an upload is, in percent. All of it sent is not yet stored. */
export function UploadProgress({ of: name, sent }: { of: string; sent: number }) {
  const percent = Math.floor(sent * 100);
  return (
    <>
      <progress aria-label={`Uploading ${name}`} {...(percent < 100 && { value: percent, max: 100 })} />
      <span class="muted small">{percent < 100 ? `${percent} %` : "Storing…"}</span>
    </>
  );
}
