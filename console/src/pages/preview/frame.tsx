import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";

const WIDTHS = { phone: "390px", tablet: "820px", full: "100%" } as const;
type Width = keyof typeof WIDTHS;

const RIGHTS = "allow-scripts allow-forms allow-popups";

/** A preview in a frame, at a path and a width. */
export function Frame({ address, name }: { address: string; name: string }) {
  const base = new URL(address.endsWith("/") ? address : `${address}/`, location.href);
  // What the service's own origin serves must not act as the service.
  const sandbox = base.origin === location.origin ? RIGHTS : `allow-same-origin ${RIGHTS}`;
  const [path, setPath] = useState("/");
  const [width, setWidth] = useState<Width>("full");
  const [turn, setTurn] = useState(0);
  const shown = new URL(path.replace(/^[/\\]+/u, ""), base);
  const url = shown.href.startsWith(base.href) ? shown.href : base.href;
  const frame = useRef<HTMLIFrameElement>(null);
  // Before the frame can ask: while the page is busy, an effect may come later than its message.
  useLayoutEffect(() => {
    let isAsked = false;
    const enter = ({ source, origin, data }: MessageEvent) => {
      if (isAsked || source !== frame.current?.contentWindow || origin !== location.origin) return;
      const entrance = entranceOf(data);
      if (!entrance) return;
      // Once: who is not signed in stays so.
      isAsked = true;
      frame.current.src = entrance;
    };
    addEventListener("message", enter);
    return () => removeEventListener("message", enter);
  }, [url, turn]);
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          setPath(textOf(new FormData(event.currentTarget), "path"));
          setTurn(turn + 1);
        }}
      >
        <label for="path">Path</label>
        <input id="path" name="path" defaultValue="/" autocomplete="off" spellcheck={false} />
        <button type="submit">Go</button>
        <button type="button" onClick={() => setTurn(turn + 1)}>
          Reload
        </button>
        <span class="labelled">
          <label for="width">Width</label>
          <select
            id="width"
            onChange={({ currentTarget: { value } }) =>
              setWidth(value === "phone" || value === "tablet" ? value : "full")
            }
          >
            <option value="full">Full</option>
            <option value="tablet">Tablet (820)</option>
            <option value="phone">Phone (390)</option>
          </select>
        </span>
        <a class="button" href={url} target="_blank" rel="noopener">
          Open in new tab
        </a>
      </form>
      <div class="stage" tabIndex={0} role="group" aria-label="The preview's frame">
        <iframe
          key={turn}
          ref={frame}
          title={`Preview of ${name}`}
          src={url}
          sandbox={sandbox}
          style={{ width: WIDTHS[width] }}
        />
      </div>
    </>
  );
}

/** The address of the service's entrance to previews that a page of the service in the frame asks to be opened. */
function entranceOf(data: unknown): string | undefined {
  const { type, address } = (data ?? {}) as { type?: unknown; address?: unknown };
  if (type !== "preview_entrance" || typeof address !== "string") return undefined;
  const url = URL.parse(address);
  return url?.origin === location.origin && url.pathname === "/api/previews/enter" ? url.href : undefined;
}
