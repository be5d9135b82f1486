package millrace.interop;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Threads that write into the ring of a file: `path count producers`. Each of the comma-separated producers writes
 * `count` messages of the type one above its number: the number, the sequence, and bytes that follow from both. Prints
 * `ready`, and begins when a line comes.
 */
public final class RingProducers
{
    private static final int HEADER_LENGTH = 8;

    public static void main(final String[] args) throws Exception
    {
        final MappedByteBuffer mapped = IoUtil.mapExistingFile(new File(args[0]), "ring");
        final int count = Integer.parseInt(args[1]);
        final List<Thread> threads = new ArrayList<>();
        for (final int producer : Messages.lengths(args[2]))
        {
            threads.add(new Thread(() -> produce(new ManyToOneRingBuffer(new UnsafeBuffer(mapped)), producer, count)));
        }
        System.out.println("ready");
        System.in.read();
        threads.forEach(Thread::start);
        for (final Thread thread : threads)
        {
            thread.join();
        }
        System.out.println("written");
    }

    private static void produce(final ManyToOneRingBuffer ring, final int producer, final int count)
    {
        final UnsafeBuffer message = new UnsafeBuffer(new byte[256]);
        message.putInt(0, producer);
        for (int sequence = 0; sequence < count; sequence++)
        {
            final int length = HEADER_LENGTH + sequence % 93;
            message.putInt(4, sequence);
            for (int i = HEADER_LENGTH; i < length; i++)
            {
                message.putByte(i, (byte)(producer * 97 + sequence * 13 + i));
            }
            while (!ring.write(producer + 1, message, 0, length))
            {
                Thread.yield();
            }
        }
    }
}
