import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Skeleton } from "./parts/skeleton.tsx";

/**
 * A page whose code is loaded when it is first shown; until then `Meanwhile` is, or a skeleton. Its file is gone once a newer
 * version of the service runs; then the page says so.
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: ComponentType<Props>,
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
    if (isGone) return <Gone />;
    return Meanwhile ? <Meanwhile {...props} /> : <Skeleton />;
  };
}

function Gone() {
  return (
    <div class="notice bad" role="alert">
      <p>This page could not be loaded. You may be offline, or the service has a newer version.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
