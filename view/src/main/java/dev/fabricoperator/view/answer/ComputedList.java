/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import java.util.AbstractList;
import java.util.RandomAccess;
import java.util.function.IntFunction;

/** A list each of whose elements is computed when it is read, so that it may be longer than the memory. */
public final class ComputedList<E> extends AbstractList<E> implements RandomAccess {
    private final int size;
    private final IntFunction<E> element;

    /** @param element by its place, from 0 */
    public ComputedList(int size, IntFunction<E> element) {
        this.size = size;
        this.element = element;
    }

    @Override
    public E get(int at) {
        return element.apply(at);
    }

    @Override
    public int size() {
        return size;
    }
}
