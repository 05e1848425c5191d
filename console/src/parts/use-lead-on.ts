import { useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";

/** Leads to another address once work is done; a person who went elsewhere meanwhile stays there. */
export function useLeadOn(): (address: string) => void {
  const [, navigate] = useLocation();
  /** Where the person was when this was rendered last. */
  const place = useRef("");
  place.current = location.pathname;
  return (address) => {
    if (location.pathname === place.current) navigate(address);
  };
}
