import { type ReactNode, useRef } from "react";
import { VList, type VListHandle } from "virtua";

export function Entries({ children }: { readonly children: ReactNode }) {
  const list = useRef<VListHandle>(null);
  return <VList ref={list}>{children}</VList>;
}
