//! An allocator for instances that live for one call.
//!
//! The standard one grows the memory on the first allocation, and the host pays for every growth with two changes of
//! the page tables: one to open the pages, and one to close them before the next call. Nothing outlives a call, so most
//! calls are served from an arena that is there from the start. It is nothing but zeros, so it takes no room in a
//! component, and those of its pages that a call does not touch cost nothing.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr;

/// Measured: the calls of a search need between 32 and 64 KB each, so there is room for twice that.
#[cfg(all(feature = "arena", target_family = "wasm", not(target_feature = "atomics")))]
const BYTES: usize = 128 * 1024;

#[cfg(all(feature = "arena", target_family = "wasm", not(target_feature = "atomics")))]
#[global_allocator]
static ARENA: Arena<BYTES> = Arena::new();

/// Where every block starts and ends, so that blocks follow each other without gaps.
const STEP: usize = 8;

/// Gives blocks one after another, and takes back only the last one. What does not fit comes from the system.
#[repr(C, align(16))]
struct Arena<const SIZE: usize> {
    room: UnsafeCell<[u8; SIZE]>,
    /// Where the free part starts.
    used: Cell<usize>,
}

// SAFETY: without atomics an instance has one thread, so nobody else can be inside. Natively an arena is not `Sync`, and
// so cannot be anybody's allocator.
#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
unsafe impl<const SIZE: usize> Sync for Arena<SIZE> {}

impl<const SIZE: usize> Arena<SIZE> {
    const fn new() -> Self {
        Self { room: UnsafeCell::new([0; SIZE]), used: Cell::new(0) }
    }

    const fn start(&self) -> *mut u8 {
        self.room.get().cast()
    }

    /// How far into the arena a block starts, if it is one of its own.
    fn place(&self, block: *mut u8) -> Option<usize> {
        block.addr().checked_sub(self.start().addr()).filter(|place| *place < SIZE)
    }

    /// Where a block of this size that starts here ends, if there is room for it.
    fn end(start: usize, size: usize) -> Option<usize> {
        start.checked_add(size)?.checked_next_multiple_of(STEP).filter(|end| *end <= SIZE)
    }

    /// The next block, if there is room for it.
    fn next(&self, layout: Layout) -> Option<*mut u8> {
        let free = self.start().addr() + self.used.get();
        let start = free.checked_next_multiple_of(layout.align())? - self.start().addr();
        self.used.set(Self::end(start, layout.size())?);
        // SAFETY: `start` is at most `SIZE`, because the end is.
        Some(unsafe { self.start().add(start) })
    }
}

// SAFETY: blocks of the arena do not overlap. `used` only grows past what is free, and falls only to where the last block
// starts or ends, when that block is given back or resized. All other blocks are the system's, which alone is asked to
// free them.
unsafe impl<const SIZE: usize> GlobalAlloc for Arena<SIZE> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the same contract.
        self.next(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.next(layout) {
            Some(block) => {
                // SAFETY: the block was just made, with room for so many bytes. Another call's are never here, but a
                // block that was given back may have been.
                unsafe { ptr::write_bytes(block, 0, layout.size()) };
                block
            }
            // SAFETY: the caller keeps to the same contract.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.place(block) {
            Some(start) if Self::end(start, layout.size()) == Some(self.used.get()) => self.used.set(start),
            Some(_) => {}
            // SAFETY: what is not in the arena was made by the system, with this layout.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(start) = self.place(block) else {
            // SAFETY: what is not in the arena was made by the system, with this layout.
            return unsafe { System.realloc(block, layout, size) };
        };
        let is_last = Self::end(start, layout.size()) == Some(self.used.get());
        match Self::end(start, size) {
            Some(end) if is_last => {
                self.used.set(end);
                return block;
            }
            Some(_) if size <= layout.size() => return block,
            _ => {}
        }
        // SAFETY: the caller promises that the new size makes a layout with the old alignment.
        let other = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !other.is_null() {
            // SAFETY: both blocks are at least so long, and a new block overlaps no other.
            unsafe { ptr::copy_nonoverlapping(block, other, size.min(layout.size())) };
            // SAFETY: the block is not used again. If it was the last one, its room is free again.
            unsafe { self.dealloc(block, layout) };
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 1_024;

    fn bytes(size: usize) -> Layout {
        Layout::from_size_align(size, 1).unwrap()
    }

    fn alloc(arena: &Arena<SIZE>, layout: Layout) -> *mut u8 {
        // SAFETY: no layout of these tests is empty.
        let block = unsafe { arena.alloc(layout) };
        assert!(!block.is_null());
        assert_eq!(block.addr() % layout.align(), 0);
        block
    }

    #[test]
    fn the_last_block_grows_shrinks_and_is_given_back_in_place() {
        let arena = Arena::<SIZE>::new();
        let first = alloc(&arena, bytes(10));
        let last = alloc(&arena, bytes(10));
        // SAFETY: each block is resized or freed with the layout that it has at that moment.
        unsafe {
            assert_eq!(arena.realloc(last, bytes(10), 500), last);
            assert_eq!(arena.used.get(), 16 + 504);
            assert_eq!(arena.realloc(last, bytes(500), 3), last);
            assert_eq!(arena.used.get(), 16 + 8);
            arena.dealloc(last, bytes(3));
            arena.dealloc(first, bytes(10));
        }
        assert_eq!(arena.used.get(), 0);
    }

    #[test]
    fn what_does_not_fit_is_the_systems() {
        let arena = Arena::<SIZE>::new();
        let inside = alloc(&arena, bytes(SIZE - 100));
        let outside = alloc(&arena, bytes(101));
        assert!(arena.place(inside).is_some() && arena.place(outside).is_none());
        // SAFETY: each block is resized or freed with the layout that it has at that moment.
        unsafe {
            ptr::write_bytes(inside, 7, SIZE - 100);
            let moved = arena.realloc(inside, bytes(SIZE - 100), SIZE + 1);
            assert!(arena.place(moved).is_none());
            assert_eq!(*moved.add(SIZE - 101), 7);
            // It was the last one, so all of the arena is free again.
            assert_eq!(arena.used.get(), 0);
            arena.dealloc(moved, bytes(SIZE + 1));
            arena.dealloc(outside, bytes(101));
        }
        assert!(arena.place(alloc(&arena, bytes(SIZE))).is_some());
    }

    #[test]
    fn a_block_that_was_used_before_is_zeros_when_zeros_are_wanted() {
        let arena = Arena::<SIZE>::new();
        // SAFETY: the layouts are not empty, and each block is freed with its own.
        unsafe {
            let block = arena.alloc(bytes(64));
            ptr::write_bytes(block, 7, 64);
            arena.dealloc(block, bytes(64));
            let again = arena.alloc_zeroed(bytes(64));
            assert_eq!(again, block);
            assert!(std::slice::from_raw_parts(again, 64).iter().all(|byte| *byte == 0));
        }
    }

    /// Many steps by chance, each block filled with a byte of its own: none may ever change another.
    #[test]
    fn no_block_touches_another() {
        let arena = Arena::<SIZE>::new();
        let mut blocks: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let mut seed = 1_u64;
        let mut chance = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for step in 0..20_000 {
            let (size, align) = (1 + chance(150), 1 << chance(6));
            let mark = (step % 251) as u8;
            // SAFETY: every block is resized or freed once, with the layout that it has at that moment, and only as
            // many bytes of it are touched.
            unsafe {
                match chance(3) {
                    0 => {
                        let layout = Layout::from_size_align(size, align).unwrap();
                        let block = alloc(&arena, layout);
                        ptr::write_bytes(block, mark, size);
                        blocks.push((block, layout, mark));
                    }
                    1 if !blocks.is_empty() => {
                        let (block, layout, _) = blocks.swap_remove(chance(blocks.len()));
                        arena.dealloc(block, layout);
                    }
                    _ if !blocks.is_empty() => {
                        let index = chance(blocks.len());
                        let (block, layout, mark) = &mut blocks[index];
                        *block = arena.realloc(*block, *layout, size);
                        let kept = std::slice::from_raw_parts(*block, size.min(layout.size()));
                        assert!(kept.iter().all(|byte| byte == mark));
                        ptr::write_bytes(*block, *mark, size);
                        *layout = Layout::from_size_align(size, layout.align()).unwrap();
                    }
                    _ => {}
                }
                for (block, layout, mark) in &blocks {
                    assert_eq!(block.addr() % layout.align(), 0);
                    assert!(
                        std::slice::from_raw_parts(*block, layout.size()).iter().all(|byte| byte == mark)
                    );
                }
                if blocks.len() > 20 {
                    // From the newest to the oldest, so that the arena is used again and again.
                    blocks.drain(..).rev().for_each(|(block, layout, _)| arena.dealloc(block, layout));
                }
            }
        }
        // SAFETY: what is left is freed once, with its own layout.
        blocks.drain(..).for_each(|(block, layout, _)| unsafe { arena.dealloc(block, layout) });
    }
}
