import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A page whose code is loaded when it is first shown; until then `Meanwhile` is. Its file is gone once a newer version of the
 * service runs; then the page says so.
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile: ComponentType<Props> = Shape,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazily(props: Props) {
    const [Page, setPage] = useState(() => loaded);
    const [isGone, setGone] = useState(false);
    useEffect(() => {
      if (loaded) return;
      const show = async () => {
        loaded = await load();
        setPage(() => loaded);
      };
      show().catch(() => setGone(true));
    }, []);
    if (Page) return <Page {...props} />;
    return isGone ? <Gone /> : <Meanwhile {...props} />;
  };
}

function Shape() {
  return <div class="shape" role="status" aria-label="Loading" />;
}

function Gone() {
  return (
    <div class="notice bad" role="alert">
      <p>This page could not be loaded. The network may be away, or the service has a newer version.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
